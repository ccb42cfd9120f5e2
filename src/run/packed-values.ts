import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Values are compressed together, up to this many characters of JSON. */
const together = 48 * 1024
const mostTogether = 32
/** Characters of JSON whose values are at hand, however many were packed. Enough for a place in each of a hundred reports. */
const atHand = 6 * 1024 * 1024
/** Longer texts are packed. */
const shortText = 100

type Value = Readonly<Record<string, unknown>>

/** Neighbours, compressed together. */
interface Chunk {
  readonly packed: Uint8Array
  readonly length: number
}

/** Its short members, and where the others are. */
interface Stored {
  readonly chunk: Chunk
  readonly index: number
  readonly names: ReadonlySet<string>
  readonly short: Value
}

/** The values read last, the latest at the end. */
const unpacked = new Map<Chunk, readonly Value[]>()
let length = 0

/**
 * The same plain JSON objects, compressed: each is unpacked for a moment when a member is read that takes room. For the hosts of a large fleet,
 * which are many, alike, and read one after another. They cannot be changed.
 */
export function packed<T extends object>(values: readonly T[]): readonly T[] {
  const shapes = new Map<string, ReadonlySet<string>>()
  return inChunks(values.map((value) => JSON.stringify(value))).flatMap(({ chunk, first, count }) =>
    values.slice(first, first + count).map((value, index) => {
      const stored: Stored = { chunk, index, names: namesOf(value, shapes), short: shortMembers(value) }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it reads like the value
      return new Proxy(stored, handler) as unknown as T
    }),
  )
}

interface Placed {
  readonly chunk: Chunk
  /** The index of its first text. */
  readonly first: number
  readonly count: number
}

function inChunks(texts: readonly string[]): readonly Placed[] {
  const found: Placed[] = []
  let first = 0
  let size = 0
  for (const [index, text] of texts.entries()) {
    size += text.length
    const next = texts[index + 1]
    if (next !== undefined && index + 1 - first < mostTogether && size + next.length <= together) continue
    found.push({ chunk: chunkOf(texts.slice(first, index + 1)), first, count: index + 1 - first })
    first = index + 1
    size = 0
  }
  return found
}

function chunkOf(texts: readonly string[]): Chunk {
  const text = texts.join('\n')
  // A copy of its own: what the compressor returns is a small part of a large buffer.
  return { packed: new Uint8Array(zstdCompressSync(text)), length: text.length }
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
  get: (stored, name) => (typeof name === 'symbol' ? undefined : memberOf(stored, name)),
  has: ({ names }, name) => typeof name === 'string' && names.has(name),
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

function valueOf({ chunk, index }: Stored): Value {
  return valuesIn(chunk)[index] ?? {}
}

function valuesIn(chunk: Chunk): readonly Value[] {
  const values = unpacked.get(chunk) ?? unpack(chunk)
  // Read last: at the end.
  unpacked.delete(chunk)
  unpacked.set(chunk, values)
  return values
}

function unpack(chunk: Chunk): readonly Value[] {
  length += chunk.length
  for (const old of unpacked.keys()) {
    if (length <= atHand) break
    unpacked.delete(old)
    length -= old.length
  }
  return zstdDecompressSync(chunk.packed)
    .toString()
    .split('\n')
    .map((text): Value => JSON.parse(text))
}
