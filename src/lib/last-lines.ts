import { maskKeys } from './mask-keys.ts'

/** The last lines of a command's output, which usually contain the reason; keys in it are masked. */
export function lastLines(text: string, count = 12): string {
  return maskKeys(text.trimEnd().split('\n').slice(-count).join('\n'))
}
