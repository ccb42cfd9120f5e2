import type { GgufHeader } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'

/**
 * Reads the key-value part of a GGUF file as far as `bytes` go, usually its first 64 KiB. Written by hand because the hub's library reads
 * files and URLs asynchronously and rejects a truncated buffer, which is the normal case here, in a synchronous function.
 * Format: docs/gguf.md of ggml. Versions 2 and 3; version 1 is older than every current server.
 */
export function readGgufHeader(bytes: Buffer): Observed<GgufHeader> {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 4) !== 'GGUF')
    return unknown('unreadable', 'it does not start like a GGUF file')
  const version = bytes.readUInt32LE(4)
  if (version !== 2 && version !== 3)
    return unknown('unreadable', version > 0xffff ? 'a big-endian GGUF file' : `GGUF version ${version} is not supported`)
  const count = Number(bytes.readBigUInt64LE(16))
  const values = readValues(bytes, count)
  return known(pickFields(version, values, values.size < count))
}

type Value = string | number | boolean | readonly number[] | undefined
type Values = ReadonlyMap<string, Value>

/** Stops where the bytes end: later values are unknown, which is not an error. */
function readValues(bytes: Buffer, count: number): Values {
  const values = new Map<string, Value>()
  const cursor: Cursor = { bytes, at: 24 }
  for (let index = 0; index < count; index++) {
    const key = readText(cursor)
    const value = key === undefined ? undefined : readValue(cursor, readNumber(cursor, 4))
    if (key === undefined || value === undefined) break
    values.set(key, value.value)
  }
  return values
}

interface Cursor {
  readonly bytes: Buffer
  at: number
}

function take(cursor: Cursor, length: number): number | undefined {
  const start = cursor.at
  if (!Number.isSafeInteger(length) || length < 0 || start + length > cursor.bytes.length) return undefined
  cursor.at = start + length
  return start
}

function readNumber(cursor: Cursor, size: 1 | 2 | 4 | 8): number | undefined {
  const start = take(cursor, size)
  if (start === undefined) return undefined
  return size === 8 ? Number(cursor.bytes.readBigUInt64LE(start)) : cursor.bytes.readUIntLE(start, size)
}

function readText(cursor: Cursor): string | undefined {
  const start = skipText(cursor)
  return start === undefined ? undefined : cursor.bytes.toString('utf8', start, cursor.at)
}

/** Returns where the text starts and moves the cursor behind it. */
function skipText(cursor: Cursor): number | undefined {
  const length = readNumber(cursor, 8)
  return length === undefined ? undefined : take(cursor, length)
}

const boolType = 7
const textType = 8
const listType = 9
const sizes: Readonly<Record<number, 1 | 2 | 4 | 8>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const signed: ReadonlySet<number> = new Set([1, 3, 5, 11])

/** Undefined: the bytes end here. Irrelevant values are skipped and kept as undefined. */
function readValue(cursor: Cursor, type: number | undefined): { readonly value: Value } | undefined {
  if (type === textType) return wrap(readText(cursor))
  if (type === listType) return readList(cursor)
  const size = type === undefined ? undefined : sizes[type]
  if (type === undefined || size === undefined) return undefined
  const number = readNumber(cursor, size)
  if (number === undefined) return undefined
  if (type === 6 || type === 12) return { value: undefined }
  if (type === boolType) return { value: number !== 0 }
  const half = 2 ** (8 * size - 1)
  return { value: signed.has(type) && number >= half ? number - 2 * half : number }
}

function wrap(value: Value): { readonly value: Value } | undefined {
  return value === undefined ? undefined : { value }
}

function skipped(cursor: Cursor): { readonly value: undefined } | undefined {
  return skipText(cursor) === undefined ? undefined : { value: undefined }
}

/** Keeps lists of numbers (head counts may be given per layer) and skips the tokenizer's long lists of texts. */
function readList(cursor: Cursor): { readonly value: Value } | undefined {
  const type = readNumber(cursor, 4)
  const count = readNumber(cursor, 8)
  if (type === undefined || count === undefined) return undefined
  const numbers: number[] = []
  for (let index = 0; index < count; index++) {
    const element = type === textType ? skipped(cursor) : readValue(cursor, type)
    if (element === undefined) return undefined
    if (typeof element.value === 'number') numbers.push(element.value)
  }
  return { value: numbers.length > 0 ? numbers : undefined }
}

function pickFields(version: number, values: Values, cut: boolean): GgufHeader {
  const architecture = values.get('general.architecture')
  const prefix = typeof architecture === 'string' ? architecture : ''
  const wanted = {
    blockCount: `${prefix}.block_count`,
    contextLength: `${prefix}.context_length`,
    embeddingLength: `${prefix}.embedding_length`,
    headCount: `${prefix}.attention.head_count`,
    headCountKv: `${prefix}.attention.head_count_kv`,
    keyLength: `${prefix}.attention.key_length`,
    valueLength: `${prefix}.attention.value_length`,
    expertCount: `${prefix}.expert_count`,
    splitCount: 'split.count',
  } as const satisfies Partial<Record<keyof GgufHeader, string>>
  const numbers = Object.entries(wanted).flatMap(([field, key]): [string, number][] => {
    const value = largest(values.get(key))
    return value === undefined ? [] : [[field, value]]
  })
  return { version, ...(cut ? { cut } : {}), ...(prefix === '' ? {} : { architecture: prefix }), ...Object.fromEntries(numbers) }
}

/** The largest of per-layer counts, so that the plan never assumes too little. */
function largest(value: Value): number | undefined {
  if (typeof value === 'number') return value
  return Array.isArray(value) ? Math.max(...(value as readonly number[])) : undefined
}
