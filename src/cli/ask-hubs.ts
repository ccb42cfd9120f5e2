import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import type { HubFailure } from '../hub/hub-answer.ts'
import { listFiles } from '../hub/list-files.ts'
import { resolveRevision } from '../hub/resolve-revision.ts'
import type { ModelSource } from '../model/fleet.ts'
import type { HubTrouble } from '../plan/fetch/judge.ts'
import type { Listing } from '../plan/fetch/order.ts'
import { questionId } from '../plan/fetch/sources.ts'
import type { Context } from './context.ts'
import type { SecretResolver } from './keys.ts'

export type HubAsker = (source: ModelSource) => Promise<Listing | HubTrouble>

/** So many questions at a time; hubs count them by address. */
const questionsAtOnce = 4

/** Asks hubs at which commit a source is now, and which files are there; about each repository and revision once. */
export function createHubAsker(context: Context, resolve: SecretResolver): HubAsker {
  const limit = pLimit(questionsAtOnce)
  const answers = new Map<string, Promise<Listing | HubTrouble>>()
  return (source) => {
    const id = questionId(source)
    const answer = answers.get(id) ?? limit(() => listingOf(context, source, resolve))
    answers.set(id, answer)
    return answer
  }
}

async function listingOf(context: Context, source: ModelSource, resolve: SecretResolver): Promise<Listing | HubTrouble> {
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
