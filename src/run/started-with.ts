import { expandAsked } from '../facts/asked-path.ts'
import { ownMember } from '../lib/own-member.ts'
import { askedKeyFile } from '../managers/key-file.ts'
import { heldSuffix, previousSuffix } from '../model/beside.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Secret } from '../model/secret.ts'
import type { HostView } from '../transports/transport.ts'
import { keysOnHost } from '../verify/keys-on-host.ts'

interface KeyQuestion {
  readonly host: Host
  readonly service: string
  readonly seen: Pick<HostFacts, 'layout' | 'keyFiles' | 'leftovers'>
}

/**
 * Keys that a server may have been started with, if it rejects the one in the inventory: those in converge's key
 * file on the host, and in the copy that is kept while the server runs with it. A host without either is not asked.
 *
 * The redactor does not learn them: the host controls the content, and could remove words from the output about every other host. They are
 * sent only to that host's server, and `httpTo` removes them from its answers.
 */
export async function startedWith(
  view: HostView,
  { host, service: name, seen }: KeyQuestion,
  signal: AbortSignal,
): Promise<readonly Secret[]> {
  const service = host.services.find((one) => one.name === name)
  if (service === undefined || !seen.layout.known) return []
  const asked = askedKeyFile(service)
  const path = expandAsked(asked, seen.layout.value)
  const file = ownMember(seen.keyFiles, asked)
  const kept = [`${path}${heldSuffix}`, `${path}${previousSuffix}`]
  const beside = ownMember(seen.leftovers, asked)
  const copies = beside?.known === true ? beside.value.filter((one) => kept.includes(one)) : []
  const paths = [...(file?.known === true && file.value !== null ? [path] : []), ...copies]
  if (paths.length === 0) return []
  return keysOnHost(view, paths, signal)
}
