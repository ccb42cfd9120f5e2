import { digestOf } from '../../src/lib/digest.ts'
import type { AppliedRecord, WarmUp } from '../../src/model/applied-record.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Host } from '../../src/model/fleet.ts'

/** Records of applies with the start time of a server, measured with the present files. */
export function warmupRecords(
  warmups: Readonly<Record<string, Partial<WarmUp>>> | undefined,
  host: Host,
  facts: HostFacts,
): Readonly<Record<string, AppliedRecord>> {
  const entries = Object.entries(warmups ?? {}).map(([name, given]) => {
    const service = host.services.find((one) => one.name === name)
    const model = facts.models[service?.model.path ?? '']
    const definition = Object.entries(facts.definitions).find(([path]) => path.includes(name))?.[1]
    const definitionDigest = definition?.known === true ? (definition.value?.digest ?? '') : ''
    const measured = {
      healthyS: 10,
      measuredAt: '2026-10-20T08:00:00.000Z',
      model: digestOf(model?.known === true ? model.value?.files : null),
    }
    const record = { service: name, mark: `com.example.${name}`, runId: 'r1', appliedAt: '2026-10-20T08:00:00.000Z' }
    return [name, { ...record, definitionDigest, wanted: {}, warmup: { ...measured, definitionDigest, ...given } }] as const
  })
  return Object.fromEntries(entries)
}
