import { readFileSync } from 'node:fs'

/** When a process was started, as the kernel counts it: with its number it is that of no other process. */
export function startOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return words[19] ?? ''
}
