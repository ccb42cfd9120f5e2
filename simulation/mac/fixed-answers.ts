import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { shellQuote } from '../../src/lib/shell-quote.ts'
import { writeProgram } from '../tool-socket.ts'
import { tools, type View } from './system-tools.ts'

/** Calls that have the same answer until the next reboot. */
const calls: readonly { readonly tool: string; readonly words: readonly string[]; readonly anyFiles?: true }[] = [
  { tool: 'uname', words: ['-s', '-n', '-r', '-m'] },
  { tool: 'sw_vers', words: [] },
  { tool: 'fdesetup', words: ['status'] },
  { tool: 'sysctl', words: ['-n', 'kern.bootsessionuuid'] },
  { tool: 'sysctl', words: ['hw.memsize', 'iogpu.wired_limit_mb'] },
  // There is one disk.
  { tool: 'df', words: ['-Pk'], anyFiles: true },
]

export const fixedTools: ReadonlySet<string> = new Set(calls.map(({ tool }) => tool))

/**
 * Tools whose usual answers a shell prints itself, in a third of the time of a tool that asks.
 *
 * @param asking the folder of the tools that ask, for any other call
 */
export async function writeFixedAnswers(bin: string, asking: string, view: View): Promise<void> {
  for (const tool of fixedTools) {
    const asks = join(asking, tool)
    const cases = calls.filter((one) => one.tool === tool).map((one) => caseOf(one, view))
    // A script may be calling the tool while the Mac reboots.
    const next = `${asks}.next`
    await writeProgram(next, `case $* in\n${cases.join('')}*) exec '${asks}' "$@" ;;\nesac`)
    await rename(next, join(bin, tool))
  }
}

function caseOf({ tool, words, anyFiles }: (typeof calls)[number], view: View): string {
  const { out = '' } = tools[tool]?.(view, words) ?? {}
  return `${shellQuote([words.join(' ')])}${anyFiles ? "' '*" : ''}) printf %s ${shellQuote([out])} ;;\n`
}
