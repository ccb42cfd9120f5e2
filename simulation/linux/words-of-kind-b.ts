import { existsSync } from 'node:fs'
import { Ending, readArguments } from '../kind-b/arguments.ts'
import { knobsOf } from '../kind-b/knobs.ts'
import type { Answer } from '../tool-socket.ts'
import { NotSimulated } from './not-simulated.ts'

/** What `python3 PROGRAM … --version` or `… --help` prints. */
export function wordsOfKindB([program = '', ...words]: readonly string[]): Answer {
  if (!existsSync(program))
    return { code: 2, err: `python3: can't open file '${program}': [Errno 2] No such file or directory\n` }
  return printedByKindB(words, knobsOf(program).noBrowser)
}

export function printedByKindB(words: readonly string[], noBrowser = false): Answer {
  try {
    readArguments(words, {}, noBrowser)
  } catch (error) {
    if (!(error instanceof Ending)) throw error
    return { code: error.status, [error.status === 0 ? 'out' : 'err']: error.message }
  }
  throw new NotSimulated(words.join(' '))
}
