import { open } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { lookAtFetch } from '../../src/fetch/look-at-fetch.ts'
import type { FetchJob } from '../../src/model/fetch.ts'
import { known } from '../../src/model/observed.ts'
import { plainProgress } from '../../src/progress/file-words.ts'
import { judgeFetch } from '../../src/simulate/fetch/judge.ts'
import { bytesSent } from '../support/fake-hub/asked.ts'
import { commit, fetchScene, fileNamed, hasty, repo } from '../support/fetch-scene.ts'

const bytes = 40_000_000_000
const last = 300_000

it('resumes 40 GB at their end, and shows how far their digest is', async () => {
  await using scene = await fetchScene({ 'huge.gguf': { bytes, sha256: 'a'.repeat(64) } })
  const { part, path, digest } = fileNamed(scene.order, 'huge.gguf')
  await scene.place('other.txt', '')
  const file = await open(part, 'w')
  await file.truncate(bytes - last)
  await file.close()
  const place = { root: scene.root, id: scene.order.id, kind: 'A', model: path } as const
  const look = () => lookAtFetch(scene.transport, place, new AbortController().signal)
  const source = { hub: scene.hub.url, repo, files: [], revision: 'main' }
  const judge = async (freeBytes: number) =>
    judgeFetch({
      host: 'nas',
      model: { kind: 'A', path, source, services: ['coder'] },
      fact: await look(),
      listing: { commit, files: [{ path: 'huge.gguf', bytes, digest }] },
      disk: known({ freeBytes, totalBytes: 2 * bytes, mount: '/' }),
    })
  // What is there needs no space again.
  expect(await judge(last)).toMatchObject({ state: 'refused', problem: { code: 'MODEL.NO_SPACE' } })
  expect(await judge(2 * last)).toMatchObject({ state: 'due', files: [{ state: 'partial', have: bytes - last }] })
  await scene.start({ ...hasty, stallS: 60 })
  const hashing = async (): Promise<FetchJob | null> => {
    const fact = await look()
    return fact.known ? fact.value.job : null
  }
  await expect.poll(async () => (await hashing())?.hashed ?? 0).toBeGreaterThan(0)
  const job = await hashing()
  expect(job).toMatchObject({ state: 'working', alive: true, path, files: [{ path, bytes }] })
  expect(job?.hashed).toBeLessThan(bytes)
  const progress = { state: 'hashing', have: 20_000_000_000, bytesPerS: 500_000_000, etaS: 40 } as const
  expect(plainProgress({ host: 'nas', service: 'coder', name: 'huge.gguf', bytes }, progress)).toBe(
    ' 50%  18.6 GiB of 37.3 GiB  hashing  477 MiB/s  40s left',
  )
  expect(bytesSent(scene.hub.askedAnywhere, `${repo}/huge.gguf`)).toEqual({ sent: last, distinct: last })
  expect(await scene.stop()).toBe('stopped')
  expect(await scene.state()).toBe('stopped')
  expect(await judge(0)).toMatchObject({ state: 'stopped', files: [{ state: 'partial', have: bytes }] })
})
