import { shownLine } from '../lib/visible-text.ts'
import type { SmokeRequest, SmokeTest } from '../model/launch.ts'
import { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'
import { answerKinds } from './answer-kinds.ts'
import type { Answer, HttpAsk, HttpReply, HttpRequest } from './http-probe.ts'
import { modelNames } from './read-answers.ts'
import { shorten } from './shorten.ts'
import type { Verdict } from './smoke-deps.ts'
import { answerWords } from './wait-ready.ts'
import type { Ending, LifeWatch } from './watch-life.ts'

/** For requests that should be answered at once; generous, because the machine may be reading a model from disk. */
const quickMs = 30_000
const queuePauseS = 2
/** Limits for a server's `Retry-After`: zero would cause a storm of requests, and timers overflow to zero. */
const pauseLimitsS = { least: 1, most: 60 } as const

export async function checkModels(http: HttpAsk, { models }: SmokeTest, key: Secret | undefined): Promise<Verdict> {
  const reply = await http(withKey({ path: models.path, timeoutMs: quickMs }, key))
  if (reply.kind !== 'answered' || reply.status !== 200) return { ok: false, detail: `${models.path} ${replyWords(reply)}` }
  const names = modelNames(reply.json)
  if (names === undefined) return { ok: false, detail: `${models.path} is not a model list: ${shorten(reply.body)}` }
  if (names.includes(models.alias)) return { ok: true, detail: `lists ${models.alias}` }
  return { ok: false, detail: `${models.path} does not list ${models.alias}; it lists ${listed(names)}` }
}

const mostNames = 10

/** Names from a server, within a line. */
function listed(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, mostNames).map((name) => shorten(shownLine(name), 100))
  return `${shown.join(', ')}${names.length > mostNames ? `, … (${names.length} names)` : ''}`
}

/** A wrong key must be refused and the right one accepted, on a protected path of this kind. */
export async function checkKey(http: HttpAsk, { keyCheck }: SmokeTest, key: Secret | undefined): Promise<Verdict> {
  if (key === undefined) return { ok: true, detail: 'no key is configured', skipped: 'no key is configured' }
  const { path, wrongKeyStatus } = keyCheck
  const wrong = await http(withKey({ path, timeoutMs: quickMs }, new Secret('converge-wrong-key', 'wrong on purpose')))
  if (wrong.kind !== 'answered') return { ok: false, detail: `${path} with a wrong key ${replyWords(wrong)}` }
  if (wrong.status === 200) return { ok: false, detail: `${path} accepts any key: the server is not protected` }
  if (wrong.status !== wrongKeyStatus)
    return { ok: false, detail: `${path} with a wrong key answers ${answerWords(wrong)}, not ${wrongKeyStatus}` }
  const right = await http(withKey({ path, timeoutMs: quickMs }, key))
  if (right.kind === 'answered' && right.status === 200) return { ok: true, detail: `${path}: a wrong key is refused` }
  return { ok: false, detail: `${path} with the right key ${replyWords(right)}` }
}

/**
 * One small request, within the service's timeout. Waits while the queue is full: other requests prove that it works, but not that it works for us.
 */
export async function checkRequest(
  http: HttpAsk,
  request: SmokeRequest,
  key: Secret | undefined,
  life: LifeWatch,
  clock: Clock,
): Promise<Verdict | Ending> {
  const { kind, timeoutS } = request
  const work = async (stop: AbortSignal): Promise<Verdict | Ending> => {
    for (;;) {
      const reply = await http({ ...askOf(request, key), signal: stop })
      if (stop.aborted) return { kind: 'interrupted' }
      if (reply.kind === 'answered' && reply.status === 429) {
        await clock.sleep(pauseS(reply) * 1000, stop)
        continue
      }
      const ending = reply.kind === 'answered' ? undefined : await life.look()
      return ending ?? judgeReply(request, reply)
    }
  }
  return life.during(`waiting for the first ${answerKinds[kind].name}`, timeoutS * 1000, work)
}

export function askOf({ path, body }: SmokeRequest, key: Secret | undefined): HttpRequest {
  return { ...withKey({ path }, key), body }
}

function pauseS({ retryAfterS = queuePauseS }: Answer): number {
  return Math.min(pauseLimitsS.most, Math.max(pauseLimitsS.least, retryAfterS))
}

function judgeReply(request: SmokeRequest, reply: HttpReply): Verdict {
  const { name, judge } = answerKinds[request.kind]
  if (reply.kind !== 'answered') return { ok: false, detail: `the ${name} ${replyWords(reply)}` }
  const answers = `the ${name} answers ${answerWords(reply)}`
  if (reply.status === notImplemented)
    return { ok: false, detail: `it does not offer what it was asked: ${answers}. \`smoke\` of the service says what to ask` }
  if (reply.status >= 500) return { ok: false, detail: `it is healthy but does not work: ${answers}` }
  if (reply.status !== 200) return { ok: false, detail: answers }
  const detail = judge(reply.json, request.body)
  return detail === undefined
    ? { ok: false, detail: `the answer is not ${answerKinds[request.kind].article} ${name}: ${shorten(reply.body)}` }
    : { ok: true, detail }
}

const notImplemented = 501

function withKey(request: HttpRequest, key: Secret | undefined): HttpRequest {
  return key === undefined ? request : { ...request, key }
}

function replyWords(reply: HttpReply): string {
  if (reply.kind === 'answered') return `answers ${answerWords(reply)}`
  if (reply.kind === 'silent') return `got no answer within ${Math.round(reply.ms / 1000)} s`
  return reply.kind === 'refused' ? 'found nothing listening' : `was interrupted (${reply.detail})`
}
