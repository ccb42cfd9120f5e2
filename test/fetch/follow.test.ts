import { describe, expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { type Followed, followFetch } from '../../src/fetch/follow-fetch.ts'
import { paceOf, type Sample, withSample } from '../../src/fetch/pace.ts'
import type { FileProgress } from '../../src/model/event.ts'
import type { FetchFact, FetchJob, WantedFile } from '../../src/model/fetch.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'

const gib = 1024 ** 3
const minute = 60_000
const files = ['a', 'b'].map((name): WantedFile => {
  return { name, path: `/m/${name}`, bytes: 40 * gib, digest: { kind: 'sha256', hex: name.repeat(64) } }
})
const working: FetchJob = { state: 'working', alive: true, path: '/m/a', repo: 'org/x', commit: 'c'.repeat(40), files }

/** `a`, `b`: bytes of their partial files. */
function fact(job: Partial<FetchJob>, { a, b }: { readonly a?: number; readonly b?: number } = {}): Observed<FetchFact> {
  const found = Object.entries({ a, b }).flatMap(([name, bytes]) =>
    bytes === undefined ? [] : [{ path: `/m/${name}.${name.repeat(8)}.part`, bytes, inode: '1', modified: 1, changed: 1 }],
  )
  return known({ files: found, digests: [], job: { ...working, ...job } })
}
const broken = () => new ConvergeError('CONNECT.LOST', { summary: 'The connection broke.', why: 'It broke.', next: [] })

interface Story {
  readonly followed: Followed
  /** Seconds of each look. */
  readonly looks: readonly number[]
  readonly reported: readonly (FileProgress & { readonly file: number })[]
  readonly released: number
}

/** What is seen at each look, given seconds since the start; the clock goes on only while it is slept. */
async function follow(see: (second: number, stop: () => void) => Observed<FetchFact>): Promise<Story> {
  const looks: number[] = []
  const reported: (FileProgress & { readonly file: number })[] = []
  const abort = new AbortController()
  let now = 0
  let released = 0
  const followed = await followFetch({
    files,
    look: async () => {
      looks.push(now / 1000)
      return see(now / 1000, () => abort.abort())
    },
    onProgress: (file, progress) => reported.push({ file, ...progress }),
    release: async () => void (released += 1),
    clock: { now: () => now, sleep: async (ms, signal) => void (now += signal?.aborted === true ? 0 : ms) },
    signal: abort.signal,
  })
  return { followed, looks, reported, released }
}

function samplesOf(...all: readonly (readonly [second: number, bytes: number])[]): readonly Sample[] {
  return all.reduce<readonly Sample[]>((samples, [second, bytes]) => withSample(samples, { at: second * 1000, bytes }), [])
}

describe('the pace of a file', () => {
  it.each<[string, readonly (readonly [number, number])[], unknown]>([
    ['of one look', [[0, 0]], undefined],
    [
      'of two right after one another',
      [
        [0, 0],
        [1, 50],
      ],
      undefined,
    ],
    [
      'of two',
      [
        [0, 0],
        [2, 100],
      ],
      { bytesPerS: 50, etaS: 18 },
    ],
    [
      'of one that stands still',
      [
        [0, 10],
        [10, 10],
      ],
      { bytesPerS: 0 },
    ],
    [
      'of the last minute',
      [
        [0, 0],
        [60, 600],
        [90, 600],
        [120, 660],
      ],
      { bytesPerS: 1, etaS: 340 },
    ],
    [
      'of a look every hour',
      [
        [0, 0],
        [3600, 360],
      ],
      { bytesPerS: 0.1, etaS: 6400 },
    ],
    [
      'of bytes that were lost',
      [
        [0, 0],
        [10, 600],
        [12, 100],
      ],
      undefined,
    ],
    [
      'of a clock that was set back',
      [
        [3600, 0],
        [3602, 100],
        [2, 200],
        [4, 300],
      ],
      { bytesPerS: 50, etaS: 14 },
    ],
    [
      'of one that is whole',
      [
        [0, 0],
        [2, 1000],
      ],
      { bytesPerS: 500, etaS: 0 },
    ],
  ])('%s', (_name, all, pace) => {
    expect(paceOf(samplesOf(...all), 1000)).toEqual(pace)
  })
})

describe('a process that follows a job', () => {
  it('reports rate and time left of 40 GiB, and again of its digest', async () => {
    const rate = gib / 8
    const { followed, reported } = await follow((second) => {
      if (second < 320) return fact({}, { a: second * rate })
      if (second < 400) return fact({ hashed: (second - 320) * gib }, { a: 40 * gib })
      return fact({ state: 'done', alive: false })
    })
    expect(followed.ended).toBe('over')
    const first = reported.filter(({ file }) => file === 0)
    expect(first[0]).toEqual({ file: 0, state: 'fetching', have: 0 })
    expect(first[80]).toEqual({ file: 0, state: 'fetching', have: 20 * gib, bytesPerS: rate, etaS: 160 })
    expect(first[160]).toEqual({ file: 0, state: 'hashing', have: 0 })
    expect(first[170]).toEqual({ file: 0, state: 'hashing', have: 20 * gib, bytesPerS: gib, etaS: 20 })
    expect(reported.filter(({ file }) => file === 1).every(({ state, have }) => state === 'waiting' && have === 0)).toBe(true)
  })

  it('counts no time that a file waited', async () => {
    const { reported } = await follow((second) => {
      if (second < 60) return fact({}, { a: second })
      return second < 70
        ? fact({ path: '/m/b' }, { b: (second - 60) * 100 })
        : fact({ state: 'stopped', alive: false }, { b: 1000 })
    })
    expect(reported.findLast(({ file, state }) => file === 1 && state === 'fetching')).toMatchObject({
      have: 800,
      bytesPerS: 100,
    })
    expect(reported.at(-1)).toEqual({ file: 1, state: 'stopped', have: 1000 })
  })

  it('continues over a new connection, at growing intervals', async () => {
    const { followed, looks, released } = await follow((second) => {
      if (second >= 4 && second < 100) throw broken()
      return second < 110 ? fact({}, { a: 1 }) : fact({ state: 'done', alive: false })
    })
    expect(followed.ended).toBe('over')
    expect(looks.slice(0, 9)).toEqual([0, 2, 4, 8, 16, 32, 62, 92, 122])
    expect(released).toBe(6)
  })

  it.each<[string, () => Observed<FetchFact>, object, number]>([
    [
      'whose connection stays broken',
      () => {
        throw broken()
      },
      { why: 'The connection broke.', error: { code: 'CONNECT.LOST' } },
      33,
    ],
    ['whose folder is no longer visible', () => unknown('timed-out', 'it took too long'), { why: 'it took too long' }, 0],
  ])('gives up after a quarter of an hour one %s', async (_name, see, words, released) => {
    const story = await follow((second) => (second < 10 ? fact({}) : see()))
    expect(story.followed).toMatchObject({ ended: 'lost', ...words })
    expect(story.looks.at(-1)).toBeGreaterThan(10 + (15 * minute) / 1000)
    expect(story.looks.at(-1)).toBeLessThan(10 + (16 * minute) / 1000)
    expect(story.released).toBe(released)
  })

  it('waits another quarter of an hour after every answer', async () => {
    const { followed } = await follow((second) => {
      if (second > 4000) return fact({ state: 'done', alive: false })
      if (second % 800 > 40) throw broken()
      return fact({})
    })
    expect(followed.ended).toBe('over')
  })

  it('says that a job is gone that neither works nor is over', async () => {
    const { followed } = await follow((second) => fact({ alive: second < 4 }))
    expect(followed.ended).toBe('gone')
  })

  it('reports a job without a record as ended', async () => {
    const { followed } = await follow(() => known({ files: [], digests: [], job: null }))
    expect(followed.ended).toBe('over')
  })

  it('ends at once when it is interrupted', async () => {
    const { followed, looks } = await follow((second, stop) => {
      if (second === 4) stop()
      return fact({})
    })
    expect(followed).toEqual({ ended: 'interrupted' })
    expect(looks).toEqual([0, 2, 4])
    const during = await follow((_second, stop) => {
      stop()
      throw broken()
    })
    expect(during.followed).toEqual({ ended: 'interrupted' })
  })

  it('hides no fault of its own', async () => {
    await expect(
      follow(() => {
        throw new TypeError('a bug')
      }),
    ).rejects.toThrow('a bug')
  })

  it('shows of a job that failed at which file', async () => {
    const { reported } = await follow(() => fact({ state: 'failed', alive: false, reason: 'full' }, { a: 5 }))
    expect(reported).toEqual([
      { file: 0, state: 'failed', have: 5, note: 'failed' },
      { file: 1, state: 'stopped', have: 0 },
    ])
  })
})
