import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stopFetch } from '../../src/fetch/stop-fetch.ts'
import { partialPaths } from '../../src/model/fetch.ts'
import { systemClock } from '../../src/time/clock.ts'
import type { Script } from '../../src/transports/script.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { copyScene } from '../support/copy-scene.ts'

const content = randomBytes(1_300_001)

/** Its file is touched when its bytes were read, before its stamp is looked at again. */
function touching(script: Script): Script {
  const text = script.text.map((part) =>
    typeof part === 'string' ? part.replace('head -c "$4"', '{ head -c "$4"; touch -d @1 "$file"; }') : part,
  )
  return { ...script, text }
}

/** Of a host, until it is given up. */
const saysNothing: Transport['look'] = (_script, { signal } = {}) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

describe('a file of another host', () => {
  it.concurrent.each([[['/bin/sh']], [['bash', '--posix']], [['busybox', 'sh']]])(
    'arrives in pieces, is proved by the job, and is the same (%j)',
    async (shell) => {
      await using scene = await copyScene(content, shell)
      expect(await scene.open()).toEqual({ ended: 'open' })
      const reported: number[] = []
      expect(await scene.run({ onProgress: (have) => reported.push(have) })).toEqual({ ended: 'whole' })
      expect(reported.at(-1)).toBe(content.length)
      expect(await scene.names()).toEqual(['coder.gguf.'.concat(scene.file.digest.hex.slice(0, 8), '.part')])
      expect(await scene.settle()).toBe('done')
      expect(await scene.names()).toEqual(['coder.gguf'])
      expect((await readFile(scene.file.path)).equals(content)).toBe(true)
    },
  )

  it.concurrent('continues after the bytes that are there, and requests no byte twice', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    await mkdir(dirname(scene.part), { recursive: true })
    await writeFile(scene.part, content.subarray(0, 1_234_567))
    const reported: number[] = []
    // It is believed that nothing is there.
    expect(await scene.run({ onProgress: (have) => reported.push(have) })).toEqual({ ended: 'whole' })
    expect((await readFile(scene.part)).equals(content)).toBe(true)
    expect(await scene.settle()).toBe('done')
  })

  it.concurrent('what a job of the hub left of a piece counts as well', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    const { piece } = partialPaths(scene.file)
    await mkdir(dirname(scene.part), { recursive: true })
    await writeFile(scene.part, content.subarray(0, 100_000))
    await writeFile(`${piece}100000`, content.subarray(100_000, 150_000))
    const short = scene.file.digest.hex.slice(0, 8)
    const head = `HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 100000-399999/${content.length}\r\n\r\n`
    await writeFile(join(scene.root, 'fetch', scene.copy.order.id, `head-${short}-100000`), head)
    let first = 0
    expect(await scene.run({ have: 150_000, onProgress: (have) => (first ||= have) })).toEqual({ ended: 'whole' })
    expect(first).toBeGreaterThanOrEqual(150_000)
    expect(await scene.settle()).toBe('done')
  })

  it.concurrent.each([
    ['is another one', (path: string) => writeFile(path, randomBytes(content.length))],
    ['was touched', (path: string) => utimes(path, 1, 1)],
    ['is shorter', (path: string) => truncate(path, 5)],
    ['is gone', (path: string) => rm(path)],
  ])('is not taken where it %s', async (_, change) => {
    await using scene = await copyScene(content)
    await scene.open()
    const record = await scene.recorded()
    await systemClock.sleep(1100)
    await change(scene.sourcePath)
    const copied = await scene.run({ supplier: { host: 'nas', file: record } })
    expect(copied).toMatchObject({ ended: 'source', why: expect.stringContaining('has changed since its digest was taken') })
    expect(await scene.names()).toEqual([])
  })

  it.concurrent('of a piece during which it was changed nothing is kept', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    let pieces = 0
    const copied = await scene.run({
      limits: { pieceBytes: 1_000_000, stallMs: 60_000 },
      source: async () => {
        pieces += 1
        if (pieces < 2) return scene.from
        return { ...scene.from, look: (script, options) => scene.from.exec(touching(script.unwrap()), options) }
      },
    })
    expect(copied.ended).toBe('source')
    expect((await stat(scene.part)).size).toBe(1_000_000)
    expect(await scene.names()).toHaveLength(1)
  })

  it.concurrent('with a wrong content under a right record never gets the name', async () => {
    await using scene = await copyScene(content)
    const record = await scene.recorded()
    await scene.open()
    // Bits that flip change no stamp.
    const wrong = Buffer.from(content)
    wrong[1_200_000] = (wrong[1_200_000] ?? 0) ^ 1
    await writeFile(scene.sourcePath, wrong)
    const { bytes, path } = record
    expect(await scene.run({ supplier: { host: 'nas', file: { ...(await scene.recorded()), bytes, path } } })).toEqual({
      ended: 'whole',
    })
    expect(await scene.settle()).toMatch(/^failed mismatch /)
    expect(await scene.names()).toEqual([])
  })

  it.concurrent('is taken for missing where its host cannot be reached', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    scene.from.cut()
    expect(await scene.run()).toMatchObject({ ended: 'source', why: expect.stringContaining('The connection to nas broke') })
    expect(await scene.names()).toEqual([])
  })

  it.concurrent('is given up when its host says nothing for a while', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    const silent = { ...scene.from, look: () => new Promise<never>(() => undefined) }
    const copied = await scene.run({ source: async () => silent, limits: { pieceBytes: 400_000, stallMs: 300 } })
    expect(copied).toEqual({ ended: 'source', why: 'no more bytes arrived' })
  })
})

describe('the writer of a partial file', () => {
  it.concurrent('is not two at once: a copy waits for no job, and takes nothing from it', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    const start = (await readFile('/proc/1/stat', 'utf8')).replace(/^.*\) /s, '').split(' ')[19]
    await symlink(`1.${start}@${hostname()}`, join(scene.root, 'fetch', scene.copy.order.id, 'lock'))
    expect(await scene.run()).toEqual({ ended: 'busy' })
    expect(await scene.open()).toEqual({ ended: 'busy' })
    expect(await scene.names()).toEqual([])
  })

  it.concurrent('is not a second copy either: the later one continues, the earlier one ends', async () => {
    await using scene = await copyScene(content)
    await scene.open('n1')
    await scene.open('n2')
    expect(await scene.run()).toEqual({ ended: 'stopped' })
    expect(await scene.run({ copy: { ...scene.copy, nonce: 'n2' } })).toEqual({ ended: 'whole' })
  })

  it.concurrent('is stopped by fetch stop, in a piece and between two', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    let stopping: Promise<string> | undefined
    const copied = await scene.run({
      onProgress: (have) => {
        if (have > 800_000) stopping ??= stopFetch(scene.to, scene.root, scene.copy.order.id)
      },
      // The stop may take longer than all that is left of the file.
      source: async () => {
        await stopping
        return scene.from
      },
    })
    expect(copied).toEqual({ ended: 'stopped' })
    expect(await stopping).toBe('stopped')
    const state = join(scene.root, 'fetch', scene.copy.order.id, 'state')
    expect(await readFile(state, 'utf8')).toBe('stopped\n')
    expect((await stat(scene.part)).size % 400_000).toBe(0)
    expect(await scene.names()).toHaveLength(1)
  })

  it.concurrent('is stopped by a stop that begins before a piece, and ends during it', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    const [id, piece] = [scene.copy.order.id, `${partialPaths(scene.file).piece}0`]
    const pause = `: >"$folder/paused"; until [ -e '${piece}' ]; do sleep 0.05; done; `
    const slowly = (part: Script['text'][number]) =>
      typeof part === 'string' ? part.replace('rm -f "$folder/copy"', `${pause}rm -f "$folder/copy"`) : part
    const exec: Transport['exec'] = (script, options) => scene.to.exec({ ...script, text: script.text.map(slowly) }, options)
    const stopping = stopFetch({ ...scene.to, exec }, scene.root, id)
    await expect.poll(() => existsSync(join(scene.root, 'fetch', id, 'paused'))).toBe(true)
    const silent = { ...scene.from, look: saysNothing }
    expect(await scene.run({ source: async () => silent })).toEqual({ ended: 'stopped' })
    expect(await stopping).toBe('stopped')
  })

  it.concurrent('is stopped, not failed, by a stop that takes the file of its state', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    // As `fetch stop` does between two pieces, at the worst moment.
    const stop = 'rm -f "$folder/copy"; mkdir "$folder/state.new"; echo stopped >"$folder/state"; '
    const inMidst = (arg: string) => arg.replace('if write_process', `${stop}if write_process`)
    const exec: Transport['exec'] = (script, options) =>
      scene.to.exec({ ...script, args: script.args?.map(inMidst) ?? [] }, options)
    expect(await scene.run({ receiver: { ...scene.to, exec } })).toEqual({ ended: 'stopped' })
    expect(await scene.names()).toEqual([])
  })

  it.concurrent('leaves its bytes when it is interrupted, and the next copy continues', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    const interrupt = new AbortController()
    const onProgress = (have: number) => have > 900_000 && interrupt.abort(new Error('enough'))
    await expect(scene.run({ onProgress, signal: interrupt.signal })).rejects.toThrow('enough')
    expect((await stat(scene.part)).size).toBe(800_000)
    await scene.open('n2')
    expect(await scene.run({ copy: { ...scene.copy, nonce: 'n2' } })).toEqual({ ended: 'whole' })
    expect(await scene.settle()).toBe('done')
  })

  it.concurrent('touches nothing that has the name already', async () => {
    await using scene = await copyScene(content)
    await scene.open()
    await mkdir(dirname(scene.file.path), { recursive: true })
    await writeFile(scene.file.path, 'mine')
    expect(await scene.run()).toEqual({ ended: 'whole' })
    expect(await scene.settle()).toMatch(/^failed other /)
    expect(await readFile(scene.file.path, 'utf8')).toBe('mine')
  })
})

it('this process only holds the bytes in transit', async () => {
  await using scene = await copyScene(Buffer.of(1))
  const bytes = 250 * 1024 ** 2
  await truncate(scene.sourcePath, bytes)
  await scene.open()
  const before = process.memoryUsage().arrayBuffers
  // In one piece, so that a held one would show beside garbage that is not collected yet.
  let most = 0
  const onProgress = () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers)
  }
  const copied = await scene.run({
    file: { ...scene.file, bytes },
    supplier: { host: 'nas', file: await scene.recorded() },
    limits: { pieceBytes: bytes, stallMs: 60_000 },
    onProgress,
  })
  expect(copied).toEqual({ ended: 'whole' })
  expect((await stat(scene.part)).size).toBe(bytes)
  expect(most - before).toBeLessThan(200 * 1024 ** 2)
})

it('a job without a source ends if a file is missing', async () => {
  await using scene = await copyScene(content)
  expect(await scene.settle()).toMatch(/^failed neighbour /)
})
