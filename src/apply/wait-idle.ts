import prettyMs from 'pretty-ms'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { Action } from '../model/action.ts'
import type { Emit } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { Clock } from '../time/clock.ts'
import { poll } from './poll.ts'

/** What a server says of its requests; `requests` absent: it is too busy to say how many. Undefined: nothing that could be waited for. */
export type LookAtRequests = () => Promise<{ readonly requests?: number } | undefined>

/** How an action waits for its server; made once for each action, so that all its looks share one time. */
export interface IdleWait {
  /** Resolves when the server works on nothing, or does not tell; asks at least once, also when the time is up. */
  until(context: IdleContext): Promise<IdleEnding>
}

export interface IdleContext {
  readonly host: string
  readonly clock: Clock
  readonly emit: Emit
  readonly signal?: AbortSignal
  /** Another server is down meanwhile: it is asked, and not waited for. */
  readonly hurry?: boolean
}

export type IdleEnding =
  /** `waited`: not at the first look. */
  | { readonly kind: 'idle'; readonly waited: boolean }
  | { readonly kind: 'interrupted' }
  /** `lost`: it could not be asked, because the connection to the host broke. */
  | { readonly kind: 'held-back'; readonly problem: Problem; readonly lost: boolean }

/** Often enough to see the moment between two requests that come one after the other. */
const longestPauseMs = 1000

/** @param timeoutMs from the first look on */
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
        // An answer that was cut off by an interrupt says nothing.
        if (signal?.aborted === true) return { kind: 'interrupted' }
        if (last === undefined) return { kind: 'idle', waited: looks > 1 }
        const note = `works on ${words(last)}; waits until it is idle, ${prettyMs(Math.ceil(leftMs / 1000) * 1000)} at most`
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
  const time = timeoutMs === 0 ? '' : ` for ${prettyMs(timeoutMs)}, and found no moment without one`
  return new ConvergeError('APPLY.STILL_BUSY', {
    summary: 'The server stayed busy until the time limit. It keeps running.',
    why: `On ${host}: ${service} works on ${words(last)}. To ${kind} it was to wait for a moment without any; converge looked${time}.`,
    next: [
      converge(['apply', '--limit', host, '--wait-idle', timeoutMs < 3_600_000 ? '1h' : '12h'], { say: 'Give it more time:' }),
      converge(['apply', '--limit', host, '--allow', `SERVICE.BUSY@${service}@${host}`], {
        say: 'Or cut its requests off:',
        fillIn: '--reason "why"',
      }),
    ],
  }).toProblem()
}

function words({ requests }: { readonly requests?: number }): string {
  if (requests === undefined) return 'requests that leave it no time to say how many'
  return requests === 1 ? 'a request' : `${requests} requests`
}
