/** Writes the GGUF container format, version 3, little endian: just what the lab's models need. */

const ALIGNMENT = 32
const F32 = 0
const VALUE_TYPE = { u16: 2, u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9, u64: 10 } as const

type Scalar =
  | { readonly u16: number }
  | { readonly u32: number }
  | { readonly i32: number }
  | { readonly f32: number }
  | { readonly bool: boolean }
  | { readonly string: string }
  | { readonly u64: number }
type List = { readonly i32s: readonly number[] } | { readonly f32s: readonly number[] } | { readonly strings: readonly string[] }

export type GgufValue = Scalar | List
export type GgufMetadata = Readonly<Record<string, GgufValue>>

export interface GgufTensor {
  readonly name: string
  /** Innermost dimension first, as the format has it. */
  readonly shape: readonly number[]
  /** Absent: the size is declared in the header and the data is left out. */
  readonly data?: Float32Array
}

/** The whole file: header, tensor descriptions and, where there is any, the tensors. */
export function writeGguf(metadata: GgufMetadata, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata)
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), encode(value)]),
    ...describe(tensors),
  ])
  return Buffer.concat([padded(header), ...tensors.flatMap(({ data }) => (data ? [padded(bytes(data))] : []))])
}

function describe(tensors: readonly GgufTensor[]): Buffer[] {
  let offset = 0
  return tensors.map(({ name, shape }) => {
    const at = offset
    offset += aligned(4 * shape.reduce((product, dimension) => product * dimension, 1))
    return Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(F32), u64(at)])
  })
}

function encode(value: GgufValue): Buffer {
  if ('i32s' in value) return array(VALUE_TYPE.i32, value.i32s, i32)
  if ('f32s' in value) return array(VALUE_TYPE.f32, value.f32s, f32)
  if ('strings' in value) return array(VALUE_TYPE.string, value.strings, text)
  if ('u16' in value) return tagged(VALUE_TYPE.u16, u16(value.u16))
  if ('u32' in value) return tagged(VALUE_TYPE.u32, u32(value.u32))
  if ('i32' in value) return tagged(VALUE_TYPE.i32, i32(value.i32))
  if ('f32' in value) return tagged(VALUE_TYPE.f32, f32(value.f32))
  if ('bool' in value) return tagged(VALUE_TYPE.bool, Buffer.from([value.bool ? 1 : 0]))
  if ('u64' in value) return tagged(VALUE_TYPE.u64, u64(value.u64))
  return tagged(VALUE_TYPE.string, text(value.string))
}

function tagged(type: number, payload: Buffer): Buffer {
  return Buffer.concat([u32(type), payload])
}

function array<T>(type: number, values: readonly T[], one: (value: T) => Buffer): Buffer {
  return Buffer.concat([u32(VALUE_TYPE.array), u32(type), u64(values.length), ...values.map(one)])
}

function number(size: number, write: (target: Buffer) => void): Buffer {
  const target = Buffer.alloc(size)
  write(target)
  return target
}

const u16 = (value: number): Buffer => number(2, (target) => target.writeUInt16LE(value))
const u32 = (value: number): Buffer => number(4, (target) => target.writeUInt32LE(value))
const i32 = (value: number): Buffer => number(4, (target) => target.writeInt32LE(value))
const f32 = (value: number): Buffer => number(4, (target) => target.writeFloatLE(value))
const u64 = (value: number): Buffer => number(8, (target) => target.writeBigUInt64LE(BigInt(value)))

function text(value: string): Buffer {
  const content = Buffer.from(value)
  return Buffer.concat([u64(content.length), content])
}

function bytes(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(aligned(content.length) - content.length)])
}
