import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import { readGgufHeader } from '../facts/gguf-header.ts'
import { countCommits } from '../hub/count-commits.ts'
import type { HubAccess } from '../hub/hub-access.ts'
import type { HubAnswer, HubFailure } from '../hub/hub-answer.ts'
import { listFiles } from '../hub/list-files.ts'
import { readStart } from '../hub/read-start.ts'
import { type HubRevision, resolveRevision } from '../hub/resolve-revision.ts'
import { defined } from '../lib/defined.ts'
import type { ModelSource } from '../model/fleet.ts'
import { type DetailAnswer, type DetailQuestion, detailId } from '../simulate/fetch/details.ts'
import type { HubTrouble, Listing } from '../simulate/fetch/order.ts'
import { questionId } from '../simulate/fetch/sources.ts'
import type { SecretResolver } from './keys.ts'

export type HubAsker = (source: ModelSource) => Promise<Listing | HubTrouble>

/** Questions at a time; hubs limit them by address. */
const questionsAtOnce = 4

/** What is needed to ask a hub. */
interface HubContext {
  readonly access: HubAccess
  readonly resolve: SecretResolver
  /** Aborted when the time for all hubs is up; absent: each has its own limit. */
  readonly late?: AbortSignal
}

/**
 * Asks hubs for the current commit of a source and the files there, once for each repository and revision.
 *
 * @param withinMs from now, for all of them together; absent: as long as each takes
 */
export function createHubAsker(
  access: HubAccess,
  resolve: SecretResolver,
  { withinMs }: { readonly withinMs?: number } = {},
): HubAsker {
  const limit = pLimit(questionsAtOnce)
  const asking: HubContext = { access, resolve, ...(withinMs === undefined ? {} : { late: AbortSignal.timeout(withinMs) }) }
  const answers = new Map<string, Promise<Listing | HubTrouble>>()
  return (source) => {
    const id = questionId(source)
    const answer = answers.get(id) ?? limit(() => listingOf(asking, source))
    answers.set(id, answer)
    return answer
  }
}

/** The limit for all details together, from the first question: plans and downloads continue without them. */
const maxDetailsMs = 5000

/** Asks hubs for details of what they listed, each once; undefined: no answer. */
export type DetailAsker = (question: DetailQuestion) => Promise<DetailAnswer | undefined>

export function createDetailAsker(access: HubAccess, resolve: SecretResolver): DetailAsker {
  const limit = pLimit(questionsAtOnce)
  const answers = new Map<string, Promise<DetailAnswer | undefined>>()
  let late: AbortSignal | undefined
  return (question) => {
    late ??= AbortSignal.timeout(maxDetailsMs)
    const asking: HubContext = { access, resolve, late }
    const id = detailId(question)
    const answer = answers.get(id) ?? limit(() => detailOf(asking, question))
    answers.set(id, answer)
    return answer
  }
}

async function listingOf(asking: HubContext, source: ModelSource): Promise<Listing | HubTrouble> {
  const commit = await answerOf(asking, source, resolveRevision)
  if (!commit.ok) return commit.trouble
  const files = await answerOf(asking, { ...source, revision: commit.value }, listFiles)
  return files.ok ? { commit: commit.value, files: files.value } : files.trouble
}

async function detailOf(asking: HubContext, question: DetailQuestion): Promise<DetailAnswer | undefined> {
  const source = { ...question.source, revision: question.commit }
  if ('since' in question) {
    const { since } = question
    const commits = await answerOf(asking, source, (about, access) => countCommits(about, since, access))
    return commits.ok ? { since, commits: commits.value } : undefined
  }
  const { start } = question
  const bytes = await answerOf(asking, source, (about, access) => readStart(about, start, access))
  return { start, header: bytes.ok ? readGgufHeader(bytes.value) : bytes.trouble }
}

type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: HubTrouble }

/** The answer to one question about a source, at its revision; throws only for an interrupt. */
async function answerOf<T>(
  { access: plain, resolve, late }: HubContext,
  source: ModelSource,
  ask: (about: HubRevision, access: HubAccess) => Promise<HubAnswer<T>>,
): Promise<Reply<T>> {
  const { hub, repo, revision } = source
  const access = late === undefined ? plain : { ...plain, signal: AbortSignal.any([plain.signal, late]) }
  try {
    const token = source.token === undefined ? undefined : await resolve(source.token)
    const answer = await ask({ hub, repo, revision, ...defined({ token }) }, access)
    return answer.ok ? answer : { ok: false, trouble: troubleOf(answer, source) }
  } catch (error) {
    if (late?.aborted === true && !plain.signal.aborted) return { ok: false, trouble: troubleOf(tooLate, source) }
    if (!(error instanceof ConvergeError)) throw error
    const { code, why, next } = error.toProblem()
    return { ok: false, trouble: { code, why, next } }
  }
}

const tooLate: HubFailure = { ok: false, reason: 'unreachable', detail: 'there was no answer in time' }

const codes = {
  unreachable: 'HUB.UNREACHABLE',
  gated: 'MODEL.GATED',
  denied: 'HUB.DENIED',
  absent: 'HUB.ABSENT',
  unreadable: 'HUB.UNREADABLE',
} as const satisfies Record<HubFailure['reason'], string>

function troubleOf({ reason, detail }: HubFailure, { hub, repo, revision, token }: ModelSource): HubTrouble {
  const next = {
    unreachable: ['Try again when the hub answers.'],
    gated: [
      `Accept the terms at ${hub}/${repo}${token === undefined ? ', then name a token of that account:  model.source.token: { env: HF_TOKEN }' : ', as the account of the token'}`,
    ],
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
    why:
      reason === 'gated'
        ? `${hub} gives ${repo} only to accounts that have accepted its terms: ${detail}.`
        : `${repo} at ${revision} could not be looked up on ${hub}: ${detail}.`,
    next: next[reason],
  }
}
