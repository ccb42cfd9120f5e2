import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fetchScene, fileNamed, hasty } from '../support/fetch-scene.ts'
import { casesOf, seed } from '../support/series.ts'

/** How often a job is killed, at any moment; in all scenes together. */
const interruptions = casesOf({ short: 24, long: 500 })
const scenes = 6

const files = {
  'a-00001-of-00002.gguf': { bytes: 1_300_000, seed: 'one' },
  'a-00002-of-00002.gguf': { bytes: 1_100_000, seed: 'two' },
  'config.json': '{"small": true}\n',
}

it.concurrent.each(Array.from({ length: scenes }, (_, index) => index))(
  'gives no file its name before its digest is right, whenever it is killed (%i)',
  async (number) => {
    await using scene = await fetchScene(files)
    const random = seeded((seed ?? 1) * scenes + number)
    const first = fileNamed(scene.order, 'a-00001-of-00002.gguf')
    for (let count = 0; count < interruptions / scenes; count++) {
      const most = 100_000 + Math.floor(random() * 300_000)
      scene.hub.behaveFor('cdn', random() < 0.5 ? {} : { cut: Math.floor(random() * 300_000) }, { slow: most * 2 }, {})
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await scene.start({ ...hasty, pieceBytes: most })
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(random() * 700)
      if (random() < 0.5) scene.kill('alone')
      else scene.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      for (const { path, digest, bytes } of scene.order.files) await mustBeRight(path, digest, bytes)
      // Begun anew, so that there is always something to interrupt.
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (count % 4 === 3) await rm(first.path, { force: true })
    }
    scene.hub.behaveFor('cdn', {})
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await scene.names()).toEqual(Object.keys(files))
  },
)

async function mustBeRight(path: string, digest: { kind: string; hex: string }, bytes: number): Promise<void> {
  const content = await readFile(path).catch(() => undefined)
  if (content === undefined) return
  const hash = createHash(digest.kind === 'git' ? 'sha1' : 'sha256')
  if (digest.kind === 'git') hash.update(`blob ${bytes}\0`)
  expect(hash.update(content).digest('hex')).toBe(digest.hex)
}

/** Numbers from 0 to 1, the same for the same start. */
function seeded(start: number): () => number {
  let state = start + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
