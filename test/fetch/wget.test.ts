import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesSent } from '../support/fake-hub/asked.ts'
import { bytesAt } from '../support/fake-hub/content.ts'
import type { FileMood } from '../support/fake-hub/mood.ts'
import { fetchScene, fileNamed, repo } from '../support/fetch-scene.ts'

/** A NAS that has BusyBox for everything, and so its wget. */
const model = { 'coder.gguf': { bytes: 1_100_000, seed: 'coder' } }
const right = bytesAt(model['coder.gguf'], 0, 1_100_000)

let path = ''
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'converge-busybox-'))
  const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n')
  await Promise.all(applets.map((applet) => symlink('/bin/busybox', join(path, applet))))
})
afterAll(() => rm(path, { recursive: true, force: true }))

it.concurrent.each<[string, readonly FileMood[]]>([
  ['works', []],
  ['wants ranges', [{ rangeOnly: true }]],
  ['is cut off', [{ cut: 150_000 }, { cut: 1 }, {}]],
  ['stalls', [{ hang: 100_000 }, {}]],
  ['is too busy', [{ busy: { by: 'retry-after', seconds: 2 } }, {}]],
  ['is hidden by a page of a proxy', [{ html: 200 }, { html: 206 }, {}]],
  ['sends another part', [{}, { start: 7 }, {}]],
  ['ignores a range once', [{}, { whole: true }, {}]],
  ['sends more than was asked', [{}, { longer: 200_000 }, {}]],
])('gets the right file by wget from a hub that %s', async (_name, cdn) => {
  await using scene = await fetchScene(model, { path })
  scene.hub.behaveFor('cdn', ...cdn, {})
  await scene.start()
  expect(await scene.end()).toBe('done')
  expect((await readFile(fileNamed(scene.order, 'coder.gguf').path)).equals(right)).toBe(true)
  expect(await scene.names()).toEqual(['coder.gguf'])
  expect(bytesSent(scene.hub.askedAnywhere, `${repo}/coder.gguf`).distinct).toBe(1_100_000)
})

it('shows no token in the list of processes', async () => {
  await using scene = await fetchScene(model, { path, token: true })
  await scene.start()
  expect(await scene.end()).toMatch(/^failed tools \//)
  expect(await scene.log()).toContain('install curl')
  expect(scene.hub.askedAnywhere).toEqual([])
})
