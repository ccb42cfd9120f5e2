import type { Answer } from '../tool-socket.ts'
import type { View } from './system-tools.ts'

/** `-g` prints settings; `-a` and `-c` with names and values change them, only as root. */
export function pmset({ machine, asRoot }: View, words: readonly string[]): Answer {
  const [flag, ...pairs] = words
  if (flag === '-a' || flag === '-c') {
    if (!asRoot) return { code: 1, out: "'pmset' must be run as root...\n" }
    for (let at = 0; at < pairs.length; at += 2) machine.sleep.set(pairs[at] ?? '', Number(pairs[at + 1]))
    return { code: 0 }
  }
  const rows = [...machine.sleep].map(([name, minutes]) => ` ${name.padEnd(21)}${minutes}\n`)
  const head = words.includes('custom') ? 'AC Power:\n' : 'System-wide power settings:\nCurrently in use:\n'
  return { code: 0, out: `${head}${rows.join('')}` }
}
