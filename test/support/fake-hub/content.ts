import { createCipheriv, createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** What a file of the fake hub consists of; nothing of generated content is ever kept in memory. */
export type FakeContent = string | Uint8Array | GeneratedContent

export interface GeneratedContent {
  readonly bytes: number
  /** The same seed gives the same bytes, of which any part can be had at once. Without one: zeros. */
  readonly seed?: string
  /** What it begins with. */
  readonly head?: Uint8Array
  /** Where it is known, or where the hub is to lie; otherwise it is computed. */
  readonly sha256?: string
}

const piece = 4 * 1024 ** 2
const zeros = Buffer.alloc(piece + 16)

/** @returns bytes */
export function sizeOf(content: FakeContent): number {
  if (typeof content === 'string') return Buffer.byteLength(content)
  return content instanceof Uint8Array ? content.length : content.bytes
}

/** The bytes from an offset on, not to be written to; the caller asks for at most 4 MiB, and for none beyond the end. */
export function bytesAt(content: FakeContent, from: number, length: number): Buffer {
  if (typeof content === 'string') return Buffer.from(content).subarray(from, from + length)
  if (content instanceof Uint8Array) return Buffer.from(content.subarray(from, from + length))
  const { seed, head = new Uint8Array() } = content
  const body = seed === undefined ? zeros.subarray(0, length) : keyStream(seed, from, length)
  return from < head.length ? Buffer.concat([head.subarray(from, from + length), body.subarray(head.length - from)]) : body
}

/** AES in counter mode: its block `n` is known without those before it. */
function keyStream(seed: string, from: number, length: number): Buffer {
  const skipped = from % 16
  const counter = Buffer.alloc(16)
  counter.writeBigUInt64BE(BigInt((from - skipped) / 16), 8)
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, counter)
    .update(zeros.subarray(0, skipped + length))
    .subarray(skipped)
}

/** @returns 64 hexadecimal digits; takes about a second for a GiB */
export async function sha256Of(content: FakeContent): Promise<string> {
  if (typeof content === 'object' && 'sha256' in content && content.sha256 !== undefined) return content.sha256
  const hash = createHash('sha256')
  const size = sizeOf(content)
  for (let from = 0; from < size; from += piece) {
    hash.update(bytesAt(content, from, Math.min(piece, size - from)))
    // oxlint-disable-next-line no-await-in-loop -- others get their turn between two pieces
    await setImmediate()
  }
  return hash.digest('hex')
}

/** The id that git gives a file. @returns 40 hexadecimal digits */
export function gitBlobId(content: FakeContent): string {
  const size = sizeOf(content)
  return createHash('sha1')
    .update(`blob ${size}\0`)
    .update(bytesAt(content, 0, size))
    .digest('hex')
}
