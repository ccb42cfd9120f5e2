import { defined } from '../lib/defined.ts'
import type { Secret } from '../model/secret.ts'
import type { Clock } from '../time/clock.ts'
import type { Answer, HttpAsk, HttpReply } from './http-probe.ts'
import { shorten } from './shorten.ts'
import type { Ending, LifeWatch } from './watch-life.ts'

export interface ReadyQuestion {
  readonly path: string
  readonly key?: Secret
  readonly timeoutS: number
}

export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'wrong'; readonly detail: string } | Unready

/** It loaded until the end, or ended. */
export type Unready = Ending & { readonly last?: string }

/** A parked request is repeated after this: ten minutes, so that one lost connection is not fatal. */
const parkedMs = 600_000
const firstPauseMs = 250
const longestPauseMs = 5000

/**
 * Polls health until it is good. 503 and a connection without an answer both mean *loading*. There is never more than one request, and a parked
 * one stays: a loading Kind B keeps every connection, and has room for six.
 */
export async function waitReady(http: HttpAsk, question: ReadyQuestion, life: LifeWatch, clock: Clock): Promise<Readiness> {
  let last: string | undefined
  const work = async (stop: AbortSignal): Promise<Readiness> => {
    let pause = firstPauseMs
    for (;;) {
      const { path, key } = question
      const reply = await http({ path, ...defined({ key }), timeoutMs: parkedMs, signal: stop })
      if (stop.aborted) return { kind: 'interrupted' }
      const verdict = judge(reply)
      if (verdict !== undefined) return verdict
      last = describe(reply)
      const ending = reply.kind === 'answered' ? undefined : await life.look()
      if (ending !== undefined) return ending
      await clock.sleep(pause, stop)
      if (stop.aborted) return { kind: 'interrupted' }
      pause = Math.min(pause * 1.6, longestPauseMs)
    }
  }
  const ended = await life.during('loading', question.timeoutS * 1000, work)
  return ended.kind === 'ready' || ended.kind === 'wrong' || last === undefined ? ended : { ...ended, last }
}

/** Undefined: not ready yet. */
function judge(reply: HttpReply): Readiness | undefined {
  if (reply.kind !== 'answered') return undefined
  if (reply.status === 200) return { kind: 'ready' }
  if (reply.status < 500) return { kind: 'wrong', detail: `health answers ${describe(reply)}` }
  return undefined
}

function describe(reply: HttpReply): string {
  if (reply.kind === 'answered') return answerWords(reply)
  if (reply.kind === 'silent') return 'it accepted the connection but did not answer'
  return reply.kind === 'refused' ? 'nothing listened on its port' : `it closed the connection (${reply.detail})`
}

/** `500: {"error": …}`, shortened. */
export function answerWords({ status, body }: Answer): string {
  const text = shorten(body)
  return text === '' ? String(status) : `${status}: ${text}`
}
