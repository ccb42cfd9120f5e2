import { userInfo } from 'node:os'
import { relative } from 'node:path'
import { listeningPort, unmanagedServers } from '../../adopt/find-servers.ts'
import type { Context } from '../../context/context.ts'
import {
  type NewFiles,
  type NewHost,
  newInventory,
  nominalRam,
  orgOf,
  withHeading,
} from '../../inventory/create/new-inventory.ts'
import { defined } from '../../lib/defined.ts'
import type { HostFacts } from '../../model/facts.ts'
import { isServerKind } from '../../servers/traits.ts'
import { type Adoption, type AdoptRequest, adoptServers } from '../adopt/adopt-servers.ts'
import type { HostFlags } from '../run.ts'
import { withDraft } from './draft.ts'
import { isSeen, type SeenHost } from './look-at-hosts.ts'

/** An inventory of the hosts that were seen, with services for the servers that run there; not written yet. */
export interface ProposedInventory extends Pick<Adoption, 'document' | 'keys'> {
  readonly files: NewFiles
}

/** Looks at what runs on the hosts, as `adopt` does; writes nothing. */
export async function proposeInventory(
  context: Context,
  flags: HostFlags,
  seen: readonly SeenHost[],
  request: AdoptRequest,
): Promise<ProposedInventory> {
  const ports = seen.flatMap(({ facts }) => (isSeen(facts) ? portsOf(facts) : []))
  const lowestPort = ports.length === 0 ? undefined : Math.min(...ports)
  const files = newInventory(seen.map(newHost), { org: defaultOrg(), ...defined({ lowestPort }) })
  return withDraft(context, flags, files, async (run, folder) => {
    const { document, edits, keys } = await adoptServers(run, request)
    const changed = edits.map(({ file, before, after }): [string, string] => {
      const path = relative(folder, file)
      return [path, before === null ? withHeading(after, 'What runs on this host, as `converge init` found it.') : after]
    })
    return { document, keys, files: { ...files, ...Object.fromEntries(changed) } }
  })
}

/** The name of this account, as labels can have it. */
export function defaultOrg(): string {
  return orgOf(userInfo().username)
}

function newHost({ target, facts, root }: SeenHost): NewHost {
  if (!isSeen(facts)) return { ...target, problem: facts.code }
  const { platform, memory } = facts
  return {
    ...target,
    ...defined({ root }),
    ...(platform.known ? { platform: platform.value.os } : {}),
    ...(memory.known && memory.value.totalBytes > 0 ? { ramGb: nominalRam(memory.value.totalBytes) } : {}),
  }
}

/** Of servers that could become services. */
function portsOf(facts: HostFacts): readonly number[] {
  return unmanagedServers(facts, [])
    .filter(({ role }) => isServerKind(role))
    .flatMap((resident) => listeningPort(resident, facts) ?? [])
}
