import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GgufMetadata, type GgufTensor, writeGguf } from '../../simulation/gguf-writer.ts'

/** A GGUF of about 115 KB that the real llama-server loads and answers from, in milliseconds. */

const EMBEDDING = 32
const FEED_FORWARD = 64
const VOCABULARY = ['<unk>', '<s>', '</s>', ...byteTokens(), '\u2581']
const CHAT_TEMPLATE = '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: '

/** Writes one whole file. */
export async function writeTinyModel(file: string): Promise<void> {
  await writeFile(file, writeGguf(metadata(), tensors()))
}

/** Writes NAME-00001-of-0000N.gguf … into the directory and returns the paths, the first one first. */
export async function writeShardedTinyModel(directory: string, name: string, count: number): Promise<string[]> {
  await mkdir(directory, { recursive: true })
  const all = tensors()
  const size = Math.ceil(all.length / count)
  const files = Array.from({ length: count }, (_, index) => join(directory, shardName(name, index, count)))
  for (const [index, file] of files.entries()) {
    const split: GgufMetadata = {
      'split.no': { u16: index },
      'split.count': { u16: count },
      'split.tensors.count': { i32: all.length },
    }
    const shard = all.slice(index * size, (index + 1) * size)
    await writeFile(file, writeGguf(index === 0 ? { ...metadata(), ...split } : split, shard))
  }
  return files
}

/** Only the header of a mixture-of-experts model that would weigh hundreds of gigabytes. */
export async function writeGiantMoeHeader(file: string): Promise<void> {
  const moe: GgufMetadata = {
    ...metadata(),
    'general.size_label': { string: '256x9B' },
    'llama.expert_count': { u32: 256 },
    'llama.expert_used_count': { u32: 8 },
  }
  const experts = { name: 'blk.0.ffn_gate_exps.weight', shape: [7168, 2048, 256 * 30] }
  await writeFile(file, writeGguf(moe, [experts]))
}

/** What an interrupted download leaves: a good header and half of the tensors. */
export async function writeTruncatedTinyModel(file: string): Promise<void> {
  const whole = writeGguf(metadata(), tensors())
  await writeFile(file, whole.subarray(0, Math.floor(whole.length / 2)))
}

function shardName(name: string, index: number, count: number): string {
  const [number, total] = [index + 1, count].map((value) => String(value).padStart(5, '0'))
  return `${name}-${number}-of-${total}.gguf`
}

function metadata(): GgufMetadata {
  return {
    'general.architecture': { string: 'llama' },
    'general.name': { string: 'tiny' },
    'general.file_type': { u32: 0 },
    'llama.block_count': { u32: 1 },
    'llama.context_length': { u32: 2048 },
    'llama.embedding_length': { u32: EMBEDDING },
    'llama.feed_forward_length': { u32: FEED_FORWARD },
    'llama.attention.head_count': { u32: 2 },
    'llama.attention.head_count_kv': { u32: 2 },
    'llama.attention.layer_norm_rms_epsilon': { f32: 1e-5 },
    'llama.rope.dimension_count': { u32: EMBEDDING / 2 },
    'llama.vocab_size': { u32: VOCABULARY.length },
    'tokenizer.ggml.model': { string: 'llama' },
    'tokenizer.ggml.tokens': { strings: VOCABULARY },
    'tokenizer.ggml.scores': { f32s: VOCABULARY.map(() => 0) },
    'tokenizer.ggml.token_type': { i32s: [2, 3, 3, ...byteTokens().map(() => 6), 1] },
    'tokenizer.ggml.bos_token_id': { u32: 1 },
    'tokenizer.ggml.eos_token_id': { u32: 2 },
    'tokenizer.chat_template': { string: CHAT_TEMPLATE },
  }
}

function tensors(): GgufTensor[] {
  const random = pseudoRandom(42)
  const matrix = (name: string, rows: number, columns: number): GgufTensor => ({
    name,
    shape: [columns, rows],
    data: Float32Array.from({ length: rows * columns }, () => random() - 0.5),
  })
  const norm = (name: string): GgufTensor => ({ name, shape: [EMBEDDING], data: new Float32Array(EMBEDDING).fill(1) })
  return [
    matrix('token_embd.weight', VOCABULARY.length, EMBEDDING),
    norm('output_norm.weight'),
    matrix('output.weight', VOCABULARY.length, EMBEDDING),
    norm('blk.0.attn_norm.weight'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((part) => matrix(`blk.0.${part}.weight`, EMBEDDING, EMBEDDING)),
    norm('blk.0.ffn_norm.weight'),
    matrix('blk.0.ffn_gate.weight', FEED_FORWARD, EMBEDDING),
    matrix('blk.0.ffn_up.weight', FEED_FORWARD, EMBEDDING),
    matrix('blk.0.ffn_down.weight', EMBEDDING, FEED_FORWARD),
  ]
}

function byteTokens(): string[] {
  return Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
}

/** A small linear congruential generator: the same model every time. */
function pseudoRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
