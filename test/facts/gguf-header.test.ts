import { describe, expect, it } from 'vitest'
import { type GgufMetadata, writeGguf } from '../../simulation/gguf-writer.ts'
import { readGgufHeader } from '../../src/facts/gguf-header.ts'
import { known, unknown } from '../../src/model/observed.ts'

const whole: GgufMetadata = {
  'general.architecture': { string: 'qwen3moe' },
  'general.tags': { strings: ['text', 'größer'] },
  'qwen3moe.block_count': { u32: 48 },
  'qwen3moe.context_length': { u64: 262144 },
  'qwen3moe.embedding_length': { u32: 2048 },
  'qwen3moe.attention.head_count': { u32: 32 },
  'qwen3moe.attention.head_count_kv': { i32s: [4, 8, 0, 8] },
  'qwen3moe.attention.key_length': { u32: 128 },
  'qwen3moe.attention.value_length': { i32: 128 },
  'qwen3moe.attention.layer_norm_rms_epsilon': { f32: 1e-6 },
  'qwen3moe.expert_count': { u32: 128 },
  'tokenizer.ggml.add_bos_token': { bool: true },
  'tokenizer.ggml.scores': { f32s: [0, 1] },
  'tokenizer.ggml.tokens': { strings: Array.from({ length: 400 }, (_, index) => `token ${index}`) },
  'split.count': { u16: 3 },
}

const before = {
  version: 3,
  architecture: 'qwen3moe',
  blockCount: 48,
  contextLength: 262144,
  embeddingLength: 2048,
  headCount: 32,
  headCountKv: 8,
  keyLength: 128,
  valueLength: 128,
  expertCount: 128,
}

describe('the header of a GGUF', () => {
  const file = writeGguf(whole, [])

  it('reads what the planner needs; of a count per layer, the largest', () => {
    expect(readGgufHeader(file)).toEqual(known({ ...before, splitCount: 3 }))
  })

  it('stops where the bytes stop, wherever that is', () => {
    const tokens = file.indexOf('tokenizer.ggml.tokens')
    expect(readGgufHeader(file.subarray(0, tokens + 300))).toEqual(known({ ...before, cut: true }))
    for (let length = 24; length < file.length; length++)
      expect(readGgufHeader(file.subarray(0, length))).toMatchObject({ known: true })
  })

  it('does not say that there are no experts where they may lie behind what was read', () => {
    const experts = file.indexOf('qwen3moe.expert_count')
    const { expertCount: _, ...shorter } = before
    expect(readGgufHeader(file.subarray(0, experts))).toEqual(known({ ...shorter, cut: true }))
  })

  it.each([
    ['nothing', Buffer.alloc(0), 'it does not start like a GGUF file'],
    ['a page of an error', Buffer.from('<!doctype html><title>404</title>'), 'it does not start like a GGUF file'],
    ['version 1', patched(file, 4, [1, 0, 0, 0]), 'GGUF version 1 is not supported'],
    ['the other byte order', patched(file, 4, [0, 0, 0, 3]), 'a big-endian GGUF file'],
  ])('%s is no GGUF that can be read', (_, bytes, detail) => {
    expect(readGgufHeader(bytes)).toEqual(unknown('unreadable', detail))
  })

  it.each([
    ['a count of keys', 16],
    ['the length of a key', 24],
    ['the length of a value', 24 + 8 + 'general.architecture'.length + 4],
  ])('does not fall over %s that is absurd', (_, at) => {
    expect(readGgufHeader(patched(file, at, [255, 255, 255, 255, 255, 255, 255, 127]))).toMatchObject({
      known: true,
      value: { version: 3 },
    })
  })
})

function patched(file: Buffer, at: number, bytes: readonly number[]): Buffer {
  const copy = Buffer.from(file)
  copy.set(bytes, at)
  return copy
}
