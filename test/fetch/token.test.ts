import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fetchScene, token } from '../support/fetch-scene.ts'

/** A name that another process of this machine would hardly have in its arguments. */
const rare = token.slice(3)

/** What the list of processes shows of all of them, or what their environments hold. */
async function processes(file: 'cmdline' | 'environ'): Promise<string> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')))
  return texts.join('\n')
}

async function filesBelow(folder: string): Promise<string> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = all.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
  return texts.join('\n')
}

it('the token is in no list of processes, no environment and no file, from the beginning of a job to its end', async () => {
  await using scene = await fetchScene({ 'coder.gguf': { bytes: 1_300_000, seed: 'coder' } })
  scene.hub.behaveFor('cdn', { slow: 500_000 })
  let looks = 0
  let fetchers = 0
  const over = new AbortController()
  const looking = (async () => {
    while (!over.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one look after another
      const seen = [await processes('cmdline'), await processes('environ'), await filesBelow(scene.transport.folder)].join('\n')
      expect(seen).not.toContain(rare)
      looks += 1
      if (seen.includes(`curl\0-q\0--config\0-`)) fetchers += 1
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(20)
    }
  })()
  await scene.start()
  expect(await scene.end()).toBe('done')
  over.abort()
  await looking
  expect(looks).toBeGreaterThan(10)
  expect(fetchers).toBeGreaterThan(5)
  expect(await scene.log()).not.toContain(rare)
  expect(scene.hub.asked.some(({ authorization }) => authorization?.includes(rare) === true)).toBe(true)
})
