import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { itsJson, jsonAt, type Written } from '../lib/json-pieces.ts'
import { recently } from '../lib/recently.ts'

/** Values are compressed together, up to this many bytes of JSON. */
const together = 128 * 1024
/** Bytes of JSON at hand, however many were packed. Enough for a place in each of a hundred reports. */
const atHand = 16 * 1024 * 1024
/** Bytes of JSON whose values are at hand: of the hosts that are looked at together. */
const parsedAtHand = 64 * 1024
/** Of `node:zlib`. */
const minChunkSize = 64
/** Longer texts are packed. */
const shortText = 100

type Value = Readonly<Record<string, unknown>>

/** Neighbours, compressed together. */
interface Chunk {
  readonly packed: Uint8Array
  /** Bytes of their JSON. */
  readonly length: number
}

/** The place of its JSON in a chunk. */
interface Place {
  readonly chunk: Chunk
  readonly start: number
  readonly length: number
}

/** With its short members. */
interface Stored extends Place {
  readonly depth: number
  readonly names: ReadonlySet<string>
  readonly short: Value
}

const unpack = recently(
  atHand,
  // At once, rather than in small pieces that are joined.
  ({ packed: bytes, length }: Chunk): Buffer => zstdDecompressSync(bytes, { chunkSize: Math.max(length, minChunkSize) }),
)

const valueOf = recently(parsedAtHand, (stored: Stored): Value => JSON.parse(textOf(stored)))

function textOf({ chunk, start, length }: Place): string {
  return unpack(chunk).toString('utf8', start, start + length)
}

/**
 * The same plain JSON objects, compressed: each is unpacked for a moment when a member is read that takes room. For the hosts of a large fleet,
 * which are many, alike, and read one after another. They cannot be changed.
 *
 * @param depth in the document that they belong to: their JSON there is kept
 * @throws RangeError for what is nested too deeply
 */
export function packed<T extends object>(values: readonly T[], depth: number): readonly T[] {
  const shapes = new Map<string, ReadonlySet<string>>()
  return inChunks(values.map((value) => jsonOf(value, depth))).map((place, at) => {
    const value = values[at] ?? {}
    const stored: Stored = { ...place, depth, names: namesOf(value, shapes), short: shortMembers(value) }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it reads like the value
    return new Proxy(stored, handler) as unknown as T
  })
}

/** The start of a line that is nested more deeply than any that converge writes: code that goes through it could run out of stack. */
const tooDeep = `\n${' '.repeat(400)}`

function jsonOf(value: object, depth: number): string {
  const text = jsonAt(value, depth)
  if (text.includes(tooDeep)) throw new RangeError('it is nested too deeply')
  return text
}

function inChunks(texts: readonly string[]): readonly Place[] {
  const found: Place[] = []
  let first = 0
  let size = 0
  for (const [at, text] of texts.entries()) {
    size += text.length
    const next = texts[at + 1]
    if (next !== undefined && size + next.length <= together) continue
    found.push(...chunkOf(texts.slice(first, at + 1)))
    first = at + 1
    size = 0
  }
  return found
}

function chunkOf(texts: readonly string[]): readonly Place[] {
  const bytes = Buffer.from(texts.join(''))
  // A copy of its own: what the compressor returns is a small part of a large buffer.
  const chunk = { packed: new Uint8Array(zstdCompressSync(bytes)), length: bytes.length }
  let start = 0
  return texts.map((text) => {
    const place = { chunk, start, length: Buffer.byteLength(text) }
    start += place.length
    return place
  })
}

/** Values of one kind have the same members, so they share this. */
function namesOf(value: object, shapes: Map<string, ReadonlySet<string>>): ReadonlySet<string> {
  const names = Object.keys(value)
  const shape = JSON.stringify(names)
  const known = shapes.get(shape)
  if (known !== undefined) return known
  const added = new Set(names)
  shapes.set(shape, added)
  return added
}

/** What takes no room, and is read most often. */
function shortMembers(value: object): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isShort(member)))
}

function isShort(member: unknown): boolean {
  if (typeof member === 'string') return member.length <= shortText
  return typeof member === 'number' || typeof member === 'boolean' || member === null || isEmptyList(member)
}

function isEmptyList(member: unknown): boolean {
  return Array.isArray(member) && member.length === 0
}

const handler: ProxyHandler<Stored> = {
  get: (stored, name) => {
    if (name === itsJson) return { text: textOf(stored), depth: stored.depth } satisfies Written
    return typeof name === 'symbol' ? undefined : memberOf(stored, name)
  },
  has: ({ names }, name) => (typeof name === 'symbol' ? name === itsJson : names.has(name)),
  ownKeys: ({ names }) => [...names],
  getOwnPropertyDescriptor: (stored, name) => {
    if (typeof name === 'symbol' || !stored.names.has(name)) return undefined
    return { value: memberOf(stored, name), enumerable: true, configurable: true, writable: false }
  },
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
}

function memberOf(stored: Stored, name: string): unknown {
  if (!stored.names.has(name)) return undefined
  return Object.hasOwn(stored.short, name) ? stored.short[name] : valueOf(stored)[name]
}
