import { type ExitCode, exitCodes } from './exit-code.ts'
import { columnsOf, type Terminal, wrapProse } from './wrap-prose.ts'

/**
 * Interrupts in three stages: the first SIGINT or SIGTERM aborts `signal`, the second `force`, the third ends the program at once with
 * 130. A terminal that is closed (SIGHUP) is a first one and never more: it may come twice, and nobody is there to mean the second.
 */
export interface Interrupts {
  readonly signal: AbortSignal
  readonly force: AbortSignal
  /** As a first interrupt does, and without a word: for who has said why. */
  giveUp(): void
  stop(): void
}

/** What is needed of the process. */
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
    'Interrupted: nothing new is begun. The step in flight is finished; what would be left half done is undone, so that no server stays down for it.\n' +
    'Once more ends that on the hosts, too, and undoes nothing.',
  second:
    'Interrupted again: what is in flight on the hosts is ended now, nothing is put back, and locks are given back. The report says what is left down.\n' +
    'Once more ends converge at once.',
  third:
    'Ended at once. What was in flight is in doubt: `converge plan` sees what came of it.\n' +
    'A lock that was left on a host frees itself after two minutes.',
}

const fetchedWords = {
  first: 'Interrupted: downloads that have started continue on their hosts.',
  second: 'Interrupted again: ending what this run still does on the hosts.',
  third: 'Ended at once. `converge fetch status` shows the progress of the downloads.',
}

/** What is said of an interrupt, by what it interrupts. */
const wordsOf: Readonly<Record<string, typeof actedWords>> = {
  apply: actedWords,
  demo: actedWords,
  fetch: fetchedWords,
  prune: actedWords,
  resume: actedWords,
  unlock: actedWords,
}

/** @param verb that is run; absent: it is not known */
export function watchInterrupts(from: Interrupted, endNow: (code: ExitCode) => void, verb = ''): Interrupts {
  const words = Object.hasOwn(wordsOf, verb) ? (wordsOf[verb] ?? lookedWords) : lookedWords
  const [signal, force] = [new AbortController(), new AbortController()]
  const say = (text: string) => from.stderr.write(wrapProse(`\n${text}\n`, columnsOf(from.stderr)))
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
  const onHangUp = () => {
    if (!signal.signal.aborted) onSignal()
  }
  const handlers = [
    ['SIGINT', onSignal],
    ['SIGTERM', onSignal],
    ['SIGHUP', onHangUp],
  ] as const
  for (const [name, handler] of handlers) from.on(name, handler)
  return {
    signal: signal.signal,
    force: force.signal,
    giveUp: () => signal.abort(),
    stop: () => {
      for (const [name, handler] of handlers) from.off(name, handler)
    },
  }
}
