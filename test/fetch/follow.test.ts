import { expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { type Followed, followFetch } from '../../src/fetch/follow-fetch.ts'
import type { FileProgress } from '../../src/model/event.ts'
import { type FetchFact, type FetchJob, partialPaths, type WantedFile } from '../../src/model/fetch.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'

const gib = 1024 ** 3
const file: WantedFile = { name: 'a.gguf', path: '/m/a.gguf', bytes: 40 * gib, digest: { kind: 'sha256', hex: 'a'.repeat(64) } }
const job: FetchJob = { state: 'working', alive: true, path: file.path, repo: 'o/n', commit: 'c'.repeat(40), files: [file] }
const stamp = { inode: '1', modified: 1, changed: 1 }

const at = (bytes: number, more: Partial<FetchJob> = {}): Observed<FetchFact> =>
  known({ files: [{ path: partialPaths(file).part, bytes, ...stamp }], digests: [], job: { ...job, ...more } })
const whole: Observed<FetchFact> = known({
  files: [{ path: file.path, bytes: file.bytes, ...stamp }],
  digests: [{ path: file.path, bytes: file.bytes, ...stamp, digest: file.digest }],
  job: { ...job, state: 'done', alive: false },
})
const lost = new ConvergeError('CONNECT.LOST', { summary: 'The connection broke.', why: 'It broke.', next: [] })

/** Looks that come one after another, the last one for ever. */
async function follow(looks: readonly (Observed<FetchFact> | Error)[], signal = new AbortController().signal) {
  let now = 0
  let count = 0
  let released = 0
  const told: FileProgress[] = []
  const followed: Followed = await followFetch({
    files: [file],
    look: async () => {
      const look = looks[Math.min(count, looks.length - 1)]
      count += 1
      if (look === undefined || look instanceof Error) throw look
      return look
    },
    tell: (_file, progress) => told.push(progress),
    release: async () => {
      released += 1
    },
    clock: {
      now: () => now,
      sleep: async (ms) => {
        now += ms
      },
    },
    signal,
  })
  return { followed, told, released, now }
}

it('tells how far a file of 40 GiB is, how fast it comes and when it is whole', async () => {
  const { followed, told } = await follow([at(0), at(gib / 4), at(gib / 2), at(40 * gib, { hashed: gib }), whole])
  expect(followed.ended).toBe('over')
  expect(told).toEqual([
    { state: 'fetching', have: 0 },
    { state: 'fetching', have: gib / 4, bytesPerS: gib / 8, etaS: 318 },
    { state: 'fetching', have: gib / 2, bytesPerS: gib / 8, etaS: 316 },
    { state: 'hashing', have: gib },
    { state: 'done', have: 40 * gib },
  ])
})

it('looks again over a new connection where one broke, and says so meanwhile', async () => {
  const { followed, told, released } = await follow([at(gib), lost, unknown('timed-out'), at(2 * gib), whole])
  expect(followed.ended).toBe('over')
  expect(released).toBe(1)
  expect(told.filter(({ note }) => note !== undefined)).toHaveLength(2)
})

it('gives up after a quarter of an hour of silence', async () => {
  const { followed, now } = await follow([at(gib), lost])
  expect(followed).toMatchObject({ ended: 'lost', why: 'The connection broke.', error: lost })
  expect(now).toBeGreaterThan(15 * 60_000)
  expect(now).toBeLessThan(17 * 60_000)
})

it('tells a job that was killed from one that is over', async () => {
  expect((await follow([at(gib), at(gib, { alive: false })])).followed.ended).toBe('gone')
  expect((await follow([at(gib, { state: 'failed', alive: false, reason: 'full' })])).followed.ended).toBe('over')
})

it('ends with an interrupt, and lets the job go on', async () => {
  expect((await follow([at(gib)], AbortSignal.abort())).followed.ended).toBe('interrupted')
})
