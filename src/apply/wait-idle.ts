import prettyMs from 'pretty-ms'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { Action } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { Clock } from '../time/clock.ts'
import { poll } from './poll.ts'

/** The requests of a server; `requests` absent: it is too busy to report them. Undefined: it is idle or does not report them. */
export type LookAtRequests = () => Promise<{ readonly requests?: number } | undefined>

/** How an action waits for its server; made once for each action, so that all its looks share one deadline. */
export interface IdleWait {
  /** Resolves when the server is idle or does not report requests. Asks at least once, even after the deadline. */
  until(context: IdleContext): Promise<IdleEnding>
}

export interface IdleContext {
  readonly host: string
  readonly clock: Clock
  readonly emit: Emit
  readonly signal?: AbortSignal
  /** Another server is down meanwhile: ask once, do not wait. */
  readonly hurry?: boolean
}

export type IdleEnding =
  /** `waited`: not at the first look. */
  | { readonly kind: 'idle'; readonly waited: boolean }
  | { readonly kind: 'interrupted' }
  /** `lost`: the connection to the host broke. */
  | { readonly kind: 'held-back'; readonly problem: Problem; readonly lost: boolean }

/** Short enough to catch the moment between two consecutive requests. */
const longestPauseMs = 1000

/** @param timeoutMs from the first look */
export function createIdleWait(action: Action, timeoutMs: number, look: LookAtRequests): IdleWait {
  let end: number | undefined
  return {
    until: async (context) => {
      const { clock, emit, host, signal } = context
      const started = clock.now()
      end ??= started + timeoutMs
      let last: { readonly requests?: number } | undefined
      let looks = 0
      const ask = async (leftMs: number): Promise<IdleEnding | undefined> => {
        looks += 1
        try {
          last = await look()
        } catch (error) {
          if (!(error instanceof ConvergeError)) throw error
          return { kind: 'held-back', lost: true, problem: error.toProblem() }
        }
        // An answer cut off by an interrupt means nothing.
        if (signal?.aborted === true) return { kind: 'interrupted' }
        if (last === undefined) return { kind: 'idle', waited: looks > 1 }
        const note = `busy with ${words(last)}; waiting until it is idle, ${prettyMs(Math.ceil(leftMs / 1000) * 1000)} at most`
        emit({ type: 'waiting', host, action: action.id, note })
        return undefined
      }
      const left = context.hurry === true ? 0 : Math.max(0, end - started)
      const optional = defined({ signal })
      const polled = await poll(ask, { timeoutMs: left, clock, maxDelayMs: longestPauseMs, ...optional })
      if (polled.ended === 'answered') return polled.value
      if (polled.ended === 'interrupted') return { kind: 'interrupted' }
      return { kind: 'held-back', lost: false, problem: stillBusy(action, timeoutMs, last ?? {}) }
    },
  }
}

function stillBusy({ host, service, kind }: Action, timeoutMs: number, last: { readonly requests?: number }): Problem {
  const waited = timeoutMs === 0 ? '' : ` converge waited ${prettyMs(timeoutMs)} for a moment without one.`
  return new ConvergeError('APPLY.STILL_BUSY', {
    summary: 'The server stayed busy until the time limit. It keeps running.',
    why: `On ${host}: ${service} is busy with ${words(last)}, and ${kind} must not interrupt one.${waited}`,
    next: [
      converge(['apply', '--limit', host, '--wait-idle', timeoutMs < 3_600_000 ? '1h' : '12h'], { say: 'Wait longer:' }),
      converge(['apply', '--limit', host, '--allow', `SERVICE.BUSY@${service}@${host}`], {
        say: 'Or interrupt its requests:',
        fillIn: '--reason "why"',
      }),
    ],
  }).toProblem()
}

function words({ requests }: { readonly requests?: number }): string {
  if (requests === undefined) return 'an unknown number of requests'
  return requests === 1 ? 'a request' : `${requests} requests`
}
