import { maskKeys } from './mask-keys.ts'

/** The end of what a command printed, where the reason stands; keys that it shows are masked. */
export function lastLines(text: string, count = 12): string {
  return maskKeys(text.trimEnd().split('\n').slice(-count).join('\n'))
}
