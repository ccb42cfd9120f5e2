import { maskKeys } from '../lib/mask-keys.ts'

/** One line of at most 300 characters from a body or a log, for a message. */
export function shorten(text: string, length = 300): string {
  const line = maskKeys(text).trim().replace(/\s+/g, ' ')
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`
}
