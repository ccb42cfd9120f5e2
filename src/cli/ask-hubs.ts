import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import type { HubAccess } from '../hub/get-json.ts'
import type { HubFailure } from '../hub/hub-answer.ts'
import { listFiles } from '../hub/list-files.ts'
import { resolveRevision } from '../hub/resolve-revision.ts'
import type { ModelSource } from '../model/fleet.ts'
import type { HubTrouble, Listing } from '../plan/fetch/order.ts'
import { questionId } from '../plan/fetch/sources.ts'
import type { SecretResolver } from './keys.ts'

export type HubAsker = (source: ModelSource) => Promise<Listing | HubTrouble>

/** So many questions at a time; hubs count them by address. */
const questionsAtOnce = 4

/** What a hub is asked with. */
interface Asking {
  readonly access: HubAccess
  readonly resolve: SecretResolver
  /** Aborted when there is no more time for any hub; absent: each has its own. */
  readonly late?: AbortSignal
}

/**
 * Asks hubs at which commit a source is now, and which files are there; about each repository and revision once.
 *
 * @param withinMs from now on, for all of them together; absent: as long as each takes
 */
export function createHubAsker(
  access: HubAccess,
  resolve: SecretResolver,
  { withinMs }: { readonly withinMs?: number } = {},
): HubAsker {
  const limit = pLimit(questionsAtOnce)
  const asking: Asking = { access, resolve, ...(withinMs === undefined ? {} : { late: AbortSignal.timeout(withinMs) }) }
  const answers = new Map<string, Promise<Listing | HubTrouble>>()
  return (source) => {
    const id = questionId(source)
    const answer = answers.get(id) ?? limit(() => listingOf(asking, source))
    answers.set(id, answer)
    return answer
  }
}

async function listingOf({ access: plain, resolve, late }: Asking, source: ModelSource): Promise<Listing | HubTrouble> {
  const { hub, repo, revision } = source
  const access = late === undefined ? plain : { ...plain, signal: AbortSignal.any([plain.signal, late]) }
  try {
    const token = source.token === undefined ? undefined : await resolve(source.token)
    const about = { hub, repo, ...(token === undefined ? {} : { token }) }
    const commit = await resolveRevision({ ...about, revision }, access)
    if (!commit.ok) return troubleOf(commit, source)
    const files = await listFiles({ ...about, revision: commit.value }, access)
    return files.ok ? { commit: commit.value, files: files.value } : troubleOf(files, source)
  } catch (error) {
    if (late?.aborted === true && !plain.signal.aborted) return troubleOf(tooLate, source)
    if (!(error instanceof ConvergeError)) throw error
    const { code, why, next } = error.toProblem()
    return { code, why, next }
  }
}

const tooLate: HubFailure = { ok: false, reason: 'unreachable', detail: 'there was no answer in time' }

const codes = {
  unreachable: 'HUB.UNREACHABLE',
  denied: 'HUB.DENIED',
  absent: 'HUB.ABSENT',
  unreadable: 'HUB.UNREADABLE',
} as const satisfies Record<HubFailure['reason'], string>

function troubleOf({ reason, detail }: HubFailure, { hub, repo, revision, token }: ModelSource): HubTrouble {
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
