import { defined } from '../../src/lib/defined.ts'
import { digestOf } from '../../src/lib/digest.ts'
import { mapValues } from '../../src/lib/map-values.ts'
import type { AppliedRecord, WarmUp } from '../../src/model/applied-record.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Host } from '../../src/model/fleet.ts'
import type { Override } from '../../src/model/operation.ts'

type Records = Readonly<Record<string, AppliedRecord>>

interface ScenarioRecords {
  readonly unrecorded?: readonly string[]
  readonly warmups?: Readonly<Record<string, Partial<WarmUp>>>
  readonly overrides?: Readonly<Record<string, Override>>
}

/** The records of a host as a scenario describes them. */
export function scenarioRecords(
  records: Records,
  { unrecorded = [], warmups, overrides }: ScenarioRecords,
  host: Host,
  facts: HostFacts,
): Records {
  const there = Object.fromEntries(Object.entries(records).filter(([name]) => !unrecorded.includes(name)))
  return withOverrides({ ...there, ...warmupRecords(warmups, host, facts) }, overrides)
}

/** By service name. */
export function withOverrides(
  records: Readonly<Record<string, AppliedRecord>>,
  overrides: Readonly<Record<string, Override>> = {},
): Readonly<Record<string, AppliedRecord>> {
  return mapValues(records, (record) => ({ ...record, ...defined({ override: overrides[record.service] }) }))
}

/** Records of applies with the start time of a server, measured with the present files. */
function warmupRecords(
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
