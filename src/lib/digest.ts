import { createHash } from 'node:crypto'
import { stableJson } from './stable-json.ts'

/** Lower-case hexadecimal SHA-256 of UTF-8 text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** SHA-256 of the canonical JSON of a value: equal values have equal digests, regardless of key order. */
export function digestOf(value: unknown): string {
  return sha256(stableJson(value))
}
