import { binaryBytes } from '../../lib/binary-bytes.ts'
import { converge } from '../../lib/next-command.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import { known, unknown } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { serverKinds } from '../../servers/index.ts'
import { expectedModel } from './expected-model.ts'
import type { JudgedModel } from './judge-host.ts'

const gibibyte = 1024 ** 3

/**
 * A model to be fetched that the machine could not serve even if nothing else ran. A plan judges more precisely whether a server fits beside
 * the others.
 *
 * @param headroomGb GiB reserved for the system
 */
export function misfitOf(
  host: Host,
  { facts, headroomGb }: { readonly facts: HostFacts; readonly headroomGb: number },
  judged: JudgedModel,
): Problem | undefined {
  const { path, services } = judged.about.model
  const expected = expectedModel(judged, facts.models[path] ?? unknown('not-gathered'))
  if (expected === undefined || !facts.memory.known) return undefined
  const room = facts.memory.value.totalBytes - headroomGb * gibibyte
  for (const service of host.services) {
    if (service.model.path !== path || !services.includes(service.name)) continue
    const need = serverKinds[service.kind].needs(service, known(expected))
    const bytes = need.known ? need.value.hardBytes + need.value.softBytes : 0
    if (bytes <= room) continue
    return {
      code: 'MEMORY.INSUFFICIENT',
      summary: 'The model does not fit into the memory of the machine.',
      why: `${service.name} would need ${binaryBytes(bytes)} on ${host.name}, which has ${binaryBytes(Math.max(0, room))} without the headroom for the system, even with nothing else running.`,
      next: [
        converge(['plan', '--limit', host.name, '--service', service.name], {
          say: 'Choose a smaller model or lower ctx_size before fetching it; a plan shows what it needs:',
        }),
      ],
    }
  }
  return undefined
}
