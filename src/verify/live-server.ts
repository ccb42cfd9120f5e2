import { defined } from '../lib/defined.ts'
import type { HttpFact } from '../model/http-fact.ts'
import type { ServerKindName } from '../model/names.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import type { HttpDialect, ServerLoad } from '../servers/http-dialect.ts'
import { serverKinds } from '../servers/index.ts'
import type { HostView } from '../transports/transport.ts'
import { type Answer, type HttpReply, httpTo } from './http-probe.ts'

/** What a server reports every few seconds: whether it answers, and what it works on. */
export interface LiveAnswer {
  readonly http: Observed<HttpFact>
  /** Absent: not reported, or not asked. */
  readonly load?: ServerLoad
}

/** One server, asked again and again over the connection to its host. */
export interface LiveServer {
  /** Never waits long: a server that is silent keeps the request. Throws only if the connection to the host breaks. */
  ask(): Promise<LiveAnswer>
  /** Ends a request that is still open. */
  end(): void
}

export interface LiveQuestion {
  readonly port: number
  readonly kind: ServerKindName
  readonly key?: Secret
  /** Other keys that it may have been started with; only asked for if it refuses ours. */
  readonly otherKeys: () => Promise<readonly Secret[]>
  /** Ask for its health only. */
  readonly onlyHealth: boolean
}

/** How long one look waits for a server. */
const patienceMs = 1500

/**
 * One request a look while all is well. A request that is not answered stays open and no other is sent beside it: a loading Kind B has room for
 * six connections, and given up ones would fill it.
 */
export function createLiveServer(view: HostView, question: LiveQuestion): LiveServer {
  const dialect = serverKinds[question.kind].http
  const { load: loadIn, path: loadPath } = dialect.requests
  const ended = new AbortController()
  const http = httpTo(view, question.port)
  const keys = createKeys(question)
  let path = question.onlyHealth ? undefined : loadPath
  const get = (asked: string, timeoutMs?: number) =>
    http({ path: asked, signal: ended.signal, ...defined({ key: keys.current(), timeoutMs }) })
  const main = keptOpen(() => get(path ?? '/health'))
  const health = async () => healthAnswer(await get('/health', patienceMs), dialect, question)

  const askHealth = async (reply: HttpReply): Promise<LiveAnswer> => {
    const answer = healthAnswer(reply, dialect, question)
    const isKeptBack = isGood(reply) && loadPath === undefined && answer.load === undefined
    return isKeptBack && (await keys.next()) ? health() : answer
  }
  const askLoad = async (reply: HttpReply): Promise<LiveAnswer> => {
    if (reply.kind !== 'answered') return { http: notAnswered(reply, question.port) }
    const load = isGood(reply) ? loadIn?.(reply.json) : undefined
    if (load !== undefined) return { http: known(factOf(reply, load)), load }
    if (reply.status === 503) return { http: known(factOf(reply)) }
    // It hides what it works on, or its key is another one: without a next key, only its health is asked for from now on.
    if (![401, 403].includes(reply.status) || !(await keys.next())) path = undefined
    return health()
  }
  const ask = async (): Promise<LiveAnswer> => {
    const reply = await main()
    if (reply !== 'open') return path === undefined ? askHealth(reply) : askLoad(reply)
    return path !== undefined && dialect.answersWhileLoading ? health() : { http: known(factOf(silent)) }
  }
  return { ask, end: () => ended.abort() }
}

/** Our key, then those that it may have been started with, then ours again. */
function createKeys({ key, otherKeys }: Pick<LiveQuestion, 'key' | 'otherKeys'>) {
  let current = key
  let others: readonly Secret[] | undefined
  return {
    current: () => current,
    /** @returns whether there is one more */
    async next(): Promise<boolean> {
      others ??= await otherKeys()
      const [next, ...rest] = others
      others = rest
      current = next ?? key
      return next !== undefined
    },
  }
}

/** Its answer, or `open` while there is none. */
function keptOpen(send: () => Promise<HttpReply>): () => Promise<HttpReply | 'open'> {
  let open: Promise<HttpReply> | undefined
  return async () => {
    open ??= send()
    const { promise: late, resolve } = Promise.withResolvers<'open'>()
    const timer = setTimeout(() => resolve('open'), patienceMs)
    try {
      const reply = await Promise.race([open, late])
      if (reply !== 'open') open = undefined
      return reply
    } catch (error) {
      open = undefined
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

function healthAnswer(reply: HttpReply, { requests, completed }: HttpDialect, { port }: Pick<LiveQuestion, 'port'>): LiveAnswer {
  if (reply.kind !== 'answered') return { http: notAnswered(reply, port) }
  const load = isGood(reply) && requests.path === undefined ? requests.load?.(reply.json) : undefined
  return { http: known(factOf(reply, load, completed?.(reply.json))), ...defined({ load }) }
}

function isGood(reply: HttpReply): reply is Answer {
  return reply.kind === 'answered' && reply.status === 200
}

const silent = { status: 0, ms: patienceMs }

function factOf({ status, ms }: Pick<Answer, 'status' | 'ms'>, load?: ServerLoad, completed?: number): HttpFact {
  const nothing = unknown('not-gathered')
  const counted = (value: number | undefined) => (value === undefined ? nothing : known(value))
  return {
    health: { status, ms },
    models: nothing,
    props: nothing,
    busy: counted(load?.busy),
    completed: counted(completed),
    keyAccepted: nothing,
  }
}

function notAnswered(reply: Exclude<HttpReply, Answer>, port: number): Observed<HttpFact> {
  if (reply.kind === 'silent') return known(factOf(silent))
  if (reply.kind === 'refused') return unknown('not-gathered', `nothing listens on port ${port}`)
  return unknown('unreadable', `the server closed the connection: ${reply.detail}`)
}
