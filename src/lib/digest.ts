import { createHash } from 'node:crypto'
import { stablePieces } from './stable-json.ts'

/** Lower-case hexadecimal SHA-256 of UTF-8 text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** SHA-256 of the canonical JSON of a value: equal values have equal digests, regardless of key order. */
export function digestOf(value: unknown): string {
  const hash = createHash('sha256')
  for (const piece of stablePieces(value)) hash.update(piece, 'utf8')
  return hash.digest('hex')
}
