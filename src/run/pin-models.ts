import type { Context } from '../context/context.ts'
import { stableJson } from '../lib/stable-json.ts'
import { isCommit } from '../model/commit.ts'
import type { ModelSource, Service } from '../model/fleet.ts'
import type { ServerKindName } from '../model/names.ts'
import type { Pin, PinDocument, PinFailure } from '../model/pin-document.ts'
import { placeOfKey, type SourceRef } from '../model/source.ts'
import { chooseFiles } from '../simulate/fetch/choose-files.ts'
import type { HubTrouble } from '../simulate/fetch/order.ts'
import { createHubAsker } from './ask-hubs.ts'
import type { SecretResolver } from './keys.ts'
import type { OpenFleet } from './open-fleet.ts'

/** A model source at one place of the inventory, and the services that use it. */
interface SourceInPlace {
  readonly source: ModelSource
  readonly kind: ServerKindName
  readonly at: SourceRef
  readonly services: readonly string[]
}

/** The hubs' answers about the sources to pin. */
export type Pins = Pick<PinDocument, 'pins' | 'failures' | 'pinned'>

/**
 * Asks the hubs for the current commit of each selected source. With `branch`, sources that are already pinned move to that
 * branch's commit. Each repository and revision is asked about once.
 */
export async function askForPins(
  context: Context,
  open: OpenFleet,
  { resolve, branch }: { readonly resolve: SecretResolver; readonly branch: string | undefined },
): Promise<Pins> {
  const all = sourcesIn(open.hosts.flatMap(({ services }) => services.filter(open.selects)))
  const asked = all.filter(({ source }) => branch !== undefined || !isCommit(source.revision))
  const askHub = createHubAsker(context, resolve)
  const outcomes = asked.map(async ({ source, kind, at, services }): Promise<Pin | PinFailure> => {
    const { hub, repo, revision: from } = source
    const revision = isCommit(from) ? (branch ?? from) : from
    const found = await askHub({ ...source, revision })
    if ('code' in found) return { hub, repo, revision, ...found, services }
    const files = chooseFiles(kind, found.files, source.files)
    if (typeof files === 'string') return { hub, repo, revision, ...noSuchFiles(found.commit, files), services }
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { hub, repo, from, commit: found.commit, files: files.length, bytes, at, services }
  })
  const settled = await Promise.all(outcomes)
  return {
    pins: settled.filter((one) => 'commit' in one).filter(({ commit, from }) => commit !== from),
    failures: settled.filter((one) => 'code' in one),
    pinned: all.length - asked.length + settled.filter((one) => 'commit' in one && one.commit === one.from).length,
  }
}

/** Services share one source through a group, an anchor, or a host's file. */
function sourcesIn(services: readonly Service[]): readonly SourceInPlace[] {
  const places = new Map<string, SourceInPlace>()
  for (const { kind, model, source: written, name, host } of services) {
    if (model.source === undefined) continue
    const key = Object.hasOwn(written.keys, 'model.source.revision') ? 'revision' : 'repo'
    const at = placeOfKey(written, ['model', 'source', key])
    const id = stableJson([at, kind, model.source])
    const who = [...(places.get(id)?.services ?? []), `${name}@${host}`]
    places.set(id, { source: model.source, kind, at, services: who })
  }
  return [...places.values()]
}

function noSuchFiles(commit: string, why: string): HubTrouble {
  return {
    code: 'PIN.FILES',
    why: `At ${commit}, ${why}.`,
    next: ['Correct model.source.files; names and globs count from the top of the repository.'],
  }
}
