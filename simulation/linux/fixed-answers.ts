import { shellQuote } from '../../src/lib/shell-quote.ts'
import type { Answer } from '../tool-socket.ts'
import type { Machine } from './machine.ts'
import { df, uname } from './system-tools.ts'
import { printedByKindB } from './words-of-kind-b.ts'

/**
 * Branches of a `case $* in` for calls that a box always answers alike: a shell prints the answer itself, in a third of the time of a tool that asks.
 * By the name of the tool.
 */
export function fixedAnswers(machine: Machine): Readonly<Record<string, string>> {
  const [all, disk] = [['-s', '-n', '-r', '-m'], ['-Pk']]
  return {
    uname: branch(shellQuote([all.join(' ')]), uname({ machine }, all)),
    // There is one disk.
    df: branch("'-Pk '*", df({ machine }, disk)),
  }
}

/** The same for a Kind B, whose program is `$1`, as long as it has no knobs. */
export function fixedWordsOfKindB(): string {
  const calls = [['--version'], ['serve', '--help']]
  return calls.map((words) => branch(`"$1 ${words.join(' ')}"`, printedByKindB(words))).join('\n')
}

function branch(pattern: string, { out = '' }: Answer): string {
  return `${pattern}) printf %s ${shellQuote([out])}; exit ;;`
}
