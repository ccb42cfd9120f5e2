import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gguf } from '@huggingface/gguf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeGiantMoeHeader, writeShardedTinyModel, writeTinyModel, writeTruncatedTinyModel } from './tiny-model.ts'

const read = (file: string) => gguf(file, { allowLocalFile: true })

/** All tensors are F32: four bytes each. */
function declaredBytes(tensors: readonly { shape: readonly bigint[] }[]): number {
  return tensors.reduce((sum, { shape }) => sum + 4 * shape.reduce((product, dimension) => product * Number(dimension), 1), 0)
}

describe('the tiny model', () => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tiny-model-'))
  })

  afterAll(() => rm(directory, { recursive: true }))

  it('is read by an independent parser', async () => {
    const file = join(directory, 'tiny.gguf')
    await writeTinyModel(file)
    const { metadata, tensorInfos } = await read(file)
    expect(metadata).toMatchObject({ 'general.architecture': 'llama', 'llama.block_count': 1, tensor_count: 12n })
    expect(tensorInfos.map(({ name }) => name)).toContain('blk.0.ffn_down.weight')
    expect(declaredBytes(tensorInfos)).toBeLessThan((await stat(file)).size)
  })

  it('comes in shards that share the tensors', async () => {
    const files = await writeShardedTinyModel(join(directory, 'shards'), 'tiny', 3)
    expect(files.map((file) => basename(file))).toEqual([1, 2, 3].map((number) => `tiny-0000${number}-of-00003.gguf`))
    const shards = await Promise.all(files.map(read))
    expect(shards.map(({ metadata }) => metadata)).toMatchObject(
      [0, 1, 2].map((number) => ({ 'split.no': number, 'split.count': 3 })),
    )
    expect(shards.flatMap(({ tensorInfos }) => tensorInfos)).toHaveLength(12)
  })

  it('declares, as a giant, far more than it holds', async () => {
    const file = join(directory, 'giant.gguf')
    await writeGiantMoeHeader(file)
    const { metadata, tensorInfos } = await read(file)
    expect(metadata).toMatchObject({ 'llama.expert_count': 256 })
    expect(declaredBytes(tensorInfos)).toBeGreaterThan(400e9)
    expect((await stat(file)).size).toBeLessThan(10_000)
  })

  it('is cut in half, as an interrupted download leaves it', async () => {
    await writeTruncatedTinyModel(join(directory, 'half.gguf'))
    expect((await stat(join(directory, 'half.gguf'))).size).toBeLessThan((await stat(join(directory, 'tiny.gguf'))).size)
  })
})
