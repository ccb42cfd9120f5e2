import { defined } from '../lib/defined.ts'
import type { HttpFact } from '../model/http-fact.ts'
import type { ServerKindName } from '../model/names.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import { serverKinds } from '../servers/index.ts'
import type { HostView } from '../transports/transport.ts'
import { type HttpAsk, type HttpReply, httpTo } from './http-probe.ts'
import { modelNames } from './read-answers.ts'

export interface HttpQuestion {
  readonly service: string
  readonly port: number
  readonly kind: ServerKindName
  readonly key?: Secret
  /** Absent although configured: not available. */
  readonly keyless?: boolean
  /** Other keys that it may have been started with; only used if it refuses ours. */
  readonly otherKeys?: () => Promise<readonly Secret[]>
  /** For all requests together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

type Ask = (path: string) => Promise<HttpReply>

/**
 * What a server reports on its own port. Asks for health first, and for nothing else while that is not good: a loading Kind B has room for six
 * connections, and only a 200 says anything about keys. Throws only if the connection to the host breaks.
 */
export async function httpFacts(transport: HostView, question: HttpQuestion): Promise<Observed<HttpFact>> {
  const ask = askUntil(httpTo(transport, question.port), question)
  const health = await ask('/health')
  if (question.signal?.aborted === true) return unknown('not-gathered', 'the run was interrupted')
  if (health.kind === 'refused') return unknown('unreadable', `nothing listens on port ${question.port}`)
  if (health.kind === 'closed') return unknown('unreadable', `the server closed the connection: ${health.detail}`)
  if (health.kind === 'silent')
    return known(notReady({ status: 0, ms: health.ms }, 'it accepts connections but does not answer yet'))
  const answer = { status: health.status, ms: health.ms }
  if (health.status !== 200) return known(notReady(answer, `its health check answers ${health.status}`))
  const answers = await askKind(ask, question, health.json)
  return known({ health: answer, ...answers, ...(await askWithOther(transport, question, answers)) })
}

/** Facts that require the key that it was started with. Does not test our key again. */
async function askWithOther(transport: HostView, question: HttpQuestion, answers: KindAnswers): Promise<Partial<KindAnswers>> {
  const { busy, keyAccepted } = answers
  if (busy.known || busy.because !== 'not-permitted' || question.otherKeys === undefined) return {}
  for (const key of await question.otherKeys()) {
    const ask = askUntil(httpTo(transport, question.port), { ...question, key })
    const health = serverKinds[question.kind].http.requests.path === undefined ? await ask('/health') : undefined
    const again = await askKind(ask, { ...question, key }, health?.kind === 'answered' ? health.json : undefined)
    if (again.busy.known) return { ...again, keyAccepted }
  }
  return {}
}

function askUntil(ask: HttpAsk, { key, timeoutMs, signal }: HttpQuestion): Ask {
  const end = performance.now() + timeoutMs
  const optional = defined({ key, signal })
  return (path) => ask({ path, ...optional, timeoutMs: Math.max(1, Math.round(end - performance.now())) })
}

function notReady(health: HttpFact['health'], why: string): HttpFact {
  const nothing = unknown('timed-out', why)
  return { health, models: nothing, props: nothing, busy: nothing, completed: nothing, keyAccepted: nothing }
}

type KindAnswers = Omit<HttpFact, 'health'>

async function askKind(ask: Ask, question: HttpQuestion, health: unknown): Promise<KindAnswers> {
  const { keyPath, requests, completed, props } = serverKinds[question.kind].http
  const [models, own, work, protectedReply] = await askEach(ask, ['/v1/models', props?.path, requests.path, keyPath])
  const denied = unknown('not-permitted', 'the server reports it only to clients with its key')
  const counted = (value: number | undefined) => (value === undefined ? denied : known(value))
  return {
    models: models === undefined ? denied : read(models, modelNames),
    props:
      props === undefined || own === undefined ? unknown('not-gathered', 'this kind of server has none') : read(own, props.read),
    busy: work === undefined ? counted(requests.read(health)) : read(work, requests.read),
    completed:
      completed === undefined ? unknown('not-gathered', 'this kind of server does not count them') : counted(completed(health)),
    keyAccepted: protectedReply === undefined ? denied : keyTaken(protectedReply, question),
  }
}

/** All concurrently, without duplicates. */
async function askEach(ask: Ask, paths: readonly (string | undefined)[]): Promise<readonly (HttpReply | undefined)[]> {
  const each = [...new Set(paths)].flatMap((path) => (path === undefined ? [] : [path]))
  const replies = new Map(await Promise.all(each.map(async (path) => [path, await ask(path)] as const)))
  return paths.map((path) => (path === undefined ? undefined : replies.get(path)))
}

function read<T>(reply: HttpReply, reader: (json: unknown) => T | undefined): Observed<T> {
  if (reply.kind !== 'answered' || reply.status !== 200) return noAnswer(reply)
  const value = reader(reply.json)
  return value === undefined ? unknown('unreadable', 'the answer does not have the known shape') : known(value)
}

/**
 * Only 200 and 401 say something about a key: while it loads, a server answers 503 to all. A server that refuses requests without a key has one;
 * if none is configured, it is not ours.
 */
function keyTaken(reply: HttpReply, { key, keyless = false }: HttpQuestion): Observed<boolean> {
  const status = reply.kind === 'answered' ? reply.status : undefined
  if (key === undefined && keyless && status === 401) return known(false)
  if (key === undefined) return unknown('not-gathered', 'no key is configured')
  if (status === 200 || status === 401) return known(status === 200)
  return noAnswer(reply)
}

function noAnswer(reply: HttpReply): Unknown {
  if (reply.kind === 'silent') return unknown('timed-out')
  if (reply.kind !== 'answered') return unknown('unreadable', reply.detail)
  if (reply.status === 401 || reply.status === 403) return unknown('not-permitted', `it answers ${reply.status}`)
  return unknown('unreadable', `it answers ${reply.status}`)
}
