import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import { chooseFiles } from '../hub/choose-files.ts'
import type { HubFailure } from '../hub/hub-answer.ts'
import { listFiles } from '../hub/list-files.ts'
import { isCommit, resolveRevision } from '../hub/resolve-revision.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { ModelSource, Service } from '../model/fleet.ts'
import type { HubFile } from '../model/hub-file.ts'
import type { ServerKindName } from '../model/names.ts'
import { placeOfKey, type SourceRef } from '../model/source.ts'
import type { Pin, PinDocument, PinFailure } from '../report/pin-text.ts'
import type { Context } from './context.ts'
import type { SecretResolver } from './keys.ts'
import type { OpenFleet } from './open-fleet.ts'

/** A model source at one place of the inventory, and the services that have it from there. */
interface SourceInPlace {
  readonly source: ModelSource
  readonly kind: ServerKindName
  readonly at: SourceRef
  readonly services: readonly string[]
}

/** What the hubs say about the sources that are to be pinned. */
export type Pins = Pick<PinDocument, 'pins' | 'failures' | 'pinned'>

/** So many questions at a time; hubs count them by address. */
const questionsAtOnce = 4

/**
 * Asks the hubs at which commit each selected source is now. With `branch`, of those that have a commit already as well: where that
 * branch is, and which files a model has there. Each repository and revision is asked about once.
 */
export async function askForPins(
  context: Context,
  open: OpenFleet,
  { resolve, branch }: { readonly resolve: SecretResolver; readonly branch: string | undefined },
): Promise<Pins> {
  const all = sourcesIn(open.hosts.flatMap(({ services }) => services.filter(open.selects)))
  const asked = all.filter(({ source }) => branch !== undefined || !isCommit(source.revision))
  const limit = pLimit(questionsAtOnce)
  const answers = new Map<string, Promise<Listing | Trouble>>()
  const outcomes = asked.map(async ({ source, kind, at, services }): Promise<Pin | PinFailure> => {
    const { hub, repo, revision: from } = source
    const revision = isCommit(from) ? (branch ?? from) : from
    const question = { hub, repo, revision, token: source.token }
    const id = stableJson(question)
    const answer = answers.get(id) ?? limit(() => listingOf(context, { ...source, revision }, resolve))
    answers.set(id, answer)
    const found = await answer
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

/** Several services have one source where they share a group, an anchor, or a host's file. */
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

type Trouble = Pick<PinFailure, 'code' | 'why' | 'next'>

/** A repository at a commit. */
interface Listing {
  readonly commit: string
  readonly files: readonly HubFile[]
}

async function listingOf(context: Context, source: ModelSource, resolve: SecretResolver): Promise<Listing | Trouble> {
  const { hub, repo, revision } = source
  try {
    const token = source.token === undefined ? undefined : await resolve(source.token)
    const about = { hub, repo, ...(token === undefined ? {} : { token }) }
    const commit = await resolveRevision({ ...about, revision }, context)
    if (!commit.ok) return troubleOf(commit, source)
    const files = await listFiles({ ...about, revision: commit.value }, context)
    return files.ok ? { commit: commit.value, files: files.value } : troubleOf(files, source)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    const { code, why, next } = error.toProblem()
    return { code, why, next }
  }
}

function noSuchFiles(commit: string, why: string): Trouble {
  return {
    code: 'PIN.FILES',
    why: `At ${commit}, ${why}.`,
    next: ['Correct model.source.files; names and globs count from the top of the repository.'],
  }
}

const codes = {
  unreachable: 'HUB.UNREACHABLE',
  denied: 'HUB.DENIED',
  absent: 'HUB.ABSENT',
  unreadable: 'HUB.UNREADABLE',
} as const satisfies Record<HubFailure['reason'], string>

function troubleOf({ reason, detail }: HubFailure, { hub, repo, revision, token }: ModelSource): Trouble {
  const next = {
    unreachable: ['Try again when the hub answers.'],
    denied: [
      token === undefined
        ? 'Add a token that may read it to model.source:  token: { env: HF_TOKEN }'
        : `Check that the token's account may read ${hub}/${repo}`,
    ],
    absent: [`Compare with ${hub}/${repo}/tree/${revision}`],
    unreadable: ['Check model.source.hub, and whether a proxy answers in its place.'],
  }
  return {
    code: codes[reason],
    why: `${hub} could not resolve ${repo} at ${revision}: ${detail}.`,
    next: next[reason],
  }
}
