import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type GgufMetadata, writeGguf } from '../gguf-writer.ts'

export interface ModelShape {
  readonly gigabytes: number
  readonly layers: number
  readonly headsKv: number
  readonly experts?: number
}

/** A GGUF file with a true header and no weights: as large as it says, and next to nothing on the disk. */
export async function writeHollowModel(path: string, { gigabytes, layers, headsKv, experts }: ModelShape): Promise<void> {
  const metadata: GgufMetadata = {
    'general.architecture': { string: 'llama' },
    'llama.block_count': { u32: layers },
    'llama.context_length': { u32: 131_072 },
    'llama.embedding_length': { u32: 4096 },
    'llama.attention.head_count': { u32: 32 },
    'llama.attention.head_count_kv': { u32: headsKv },
    'llama.attention.key_length': { u32: 128 },
    'llama.attention.value_length': { u32: 128 },
    ...(experts === undefined ? {} : { 'llama.expert_count': { u32: experts } }),
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, writeGguf(metadata, []))
  await truncate(path, gigabytes * 1e9)
}
