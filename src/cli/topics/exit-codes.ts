import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { exitCodeWords } from '../../context/exit-code-words.ts'
import type { Topic } from './topic.ts'

const byNumber = Object.entries(exitCodes)
  .map(([name, code]) => ({ code, words: Object.entries(exitCodeWords).find(([one]) => one === name)?.[1].explain ?? '' }))
  .toSorted((a, b) => a.code - b.code)

const firstWins: readonly ExitCode[] = Object.values(exitCodes).toSorted((a, b) => (worstOf([a, b]) === a ? -1 : 1))

export const topic: Topic = [
  { head: ['Exit code', 'Meaning'], rows: byNumber.map(({ code, words }) => [String(code), words]) },
  `If several hold, converge ends with the first of these: ${firstWins.join(', ')}.`,
  'To see the exit code of an error, such as CONNECT.TIMEOUT, run `converge explain CONNECT.TIMEOUT`.',
]
