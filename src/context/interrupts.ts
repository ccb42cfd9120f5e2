import { type ExitCode, exitCodes } from './exit-code.ts'
import { columnsOf, type Terminal, wrapProse } from './wrap-prose.ts'

/**
 * Interrupts in three stages: the first SIGINT or SIGTERM aborts `signal`, the second `force`, the third ends the program at once with
 * 130. A closed terminal (SIGHUP) only ever counts as the first: it may arrive twice, and no user intended the second.
 */
export interface Interrupts {
  readonly signal: AbortSignal
  readonly force: AbortSignal
  /** Acts like a first interrupt without a message, because the caller has given the reason. */
  giveUp(): void
  /** Until `work` ends, SIGINT does nothing here: Ctrl-C is for the program that `work` runs in the same terminal. */
  ignoreDuring<T>(work: () => Promise<T>): Promise<T>
  stop(): void
}

/** The part of the process that is needed. */
interface Interrupted {
  on(name: Signal, handler: () => void): unknown
  off(name: Signal, handler: () => void): unknown
  readonly stderr: Terminal & { write(text: string): unknown }
}

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const lookedWords = {
  first: 'Interrupted: stopping; no host was changed.',
  second: 'Interrupted again: ending what still runs on the hosts.',
  third: 'Ended at once.',
}

const actedWords = {
  first:
    'Interrupted: nothing new is started. The current step is finished; partial changes are rolled back, so that no server stays down.\n' +
    'Interrupt again to end that on the hosts as well, without a rollback.',
  second:
    'Interrupted again: work on the hosts is ended now, without a rollback, and locks are released. The report shows what stays down.\n' +
    'Interrupt again to end converge at once.',
  third:
    'Ended at once. The outcome of the current steps is unknown: `converge plan` shows it.\n' +
    'A lock that is left on a host expires after two minutes.',
}

const fetchedWords = {
  first: 'Interrupted: downloads that have started continue on their hosts.',
  second: 'Interrupted again: ending the work of this run on the hosts.',
  third: 'Ended at once. `converge fetch status` shows the progress of the downloads.',
}

/** Like other programs that follow logs: an interrupt is how that usually ends. */
const followedWords = { ...lookedWords, first: '' }

/** Messages about an interrupt, by what it interrupts. */
const wordsOf: Readonly<Record<string, typeof actedWords>> = {
  apply: actedWords,
  demo: actedWords,
  fetch: fetchedWords,
  logs: followedWords,
  prune: actedWords,
  resume: actedWords,
  unlock: actedWords,
}

/** @param verb of the run; absent: unknown */
export function watchInterrupts(from: Interrupted, endNow: (code: ExitCode) => void, verb = ''): Interrupts {
  const words = Object.hasOwn(wordsOf, verb) ? (wordsOf[verb] ?? lookedWords) : lookedWords
  const [signal, force] = [new AbortController(), new AbortController()]
  const say = (text: string) => {
    if (text !== '') from.stderr.write(wrapProse(`\n${text}\n`, columnsOf(from.stderr)))
    else if (columnsOf(from.stderr) !== undefined) from.stderr.write('\n')
  }
  const onSignal = () => {
    if (force.signal.aborted) {
      say(words.third)
      endNow(exitCodes.interrupted)
    } else if (signal.signal.aborted) {
      say(words.second)
      force.abort()
    } else {
      say(words.first)
      signal.abort()
    }
  }
  const { handler: onInterrupt, ignoreDuring } = ignorable(onSignal)
  const onHangUp = () => {
    if (!signal.signal.aborted) onSignal()
  }
  const handlers = [
    ['SIGINT', onInterrupt],
    ['SIGTERM', onSignal],
    ['SIGHUP', onHangUp],
  ] as const
  for (const [name, handler] of handlers) from.on(name, handler)
  return {
    signal: signal.signal,
    force: force.signal,
    giveUp: () => signal.abort(),
    ignoreDuring,
    stop: () => {
      for (const [name, handler] of handlers) from.off(name, handler)
    },
  }
}

/** The handler, which does nothing while work of `ignoreDuring` runs. */
function ignorable(handler: () => void): { readonly handler: () => void; readonly ignoreDuring: Interrupts['ignoreDuring'] } {
  let ignored = 0
  return {
    handler: () => {
      if (ignored === 0) handler()
    },
    ignoreDuring: async (work) => {
      ignored += 1
      try {
        return await work()
      } finally {
        ignored -= 1
      }
    },
  }
}
