import { describe, expect, it } from 'vitest'
import type { FetchedFile, FileProgress } from '../../src/model/event.ts'
import { createFileBoard } from '../../src/progress/file-board.ts'
import { progressWords } from '../../src/progress/file-words.ts'

const gib = 1024 ** 3
const files: readonly FetchedFile[] = [
  { host: 'nas', service: 'coder', name: 'a.gguf', bytes: 40 * gib },
  { host: 'studio', service: 'coder', name: 'b.gguf', bytes: gib },
]
const seen = (file: number, progress: FileProgress) => ({ type: 'file-progress', file, ...progress }) as const
const half = { state: 'fetching', have: 20 * gib, bytesPerS: gib / 8, etaS: 160 } as const

describe('the board of files', () => {
  it('gives the room of the bar, and of the middle of a name, to the figures', () => {
    const long = [{ host: 'nas', service: 'coder', name: 'coder-Q4_K_M-00001-of-00003.gguf', bytes: 40 * gib }]
    const row = (columns: number) => {
      const board = createFileBoard(long, 1, columns)
      board.apply(seen(0, half))
      return board.rows()[0]?.text
    }
    const name = 'nas  coder  coder-Q4_K_M-00001-of-00003.gguf'
    expect(row(160)).toBe(`${name}  ━━━━━━━━━━──────────   50%  20 GiB of 40 GiB  128 MiB/s  2m 40s left`)
    expect(row(116)).toBe(`${name}  ━━━━━─────   50%  20 GiB of 40 GiB  128 MiB/s  2m 40s left`)
    expect(row(100)).toBe(`${name}   50%  20 GiB of 40 GiB  128 MiB/s  2m 40s left`)
    expect(row(80)).toBe('nas  co…_M-00001-of-00003.gguf   50%  20 GiB of 40 GiB  128 MiB/s  2m 40s left')
  })

  it('has a row for each while they fit', () => {
    const board = createFileBoard(files, 2)
    expect(board.apply(seen(0, half))).toBe(true)
    expect(board.rows()).toEqual([
      {
        key: '0',
        state: 'running',
        text: 'nas  coder  a.gguf     ━━━━━━━━━━──────────   50%  20 GiB of 40 GiB  128 MiB/s  2m 40s left',
      },
      { key: '1', state: 'waiting', text: 'studio  coder  b.gguf  1 GiB' },
    ])
    expect(board.apply(seen(2, half))).toBe(false)
    expect(board.apply({ type: 'finished' })).toBe(false)
    expect(board.epilogue()).toBe('')
  })

  it('reports downloads that continue without converge, and no others', () => {
    const board = createFileBoard(files, 2)
    board.apply(seen(0, half))
    board.apply(seen(1, { state: 'failed', have: 0, note: 'failed' }))
    board.close()
    expect(board.rows()).toEqual([
      { key: '0', state: 'skipped', text: 'nas  coder  a.gguf      50%  20 GiB of 40 GiB  continues on the host' },
      { key: '1', state: 'failed', text: 'studio  coder  b.gguf  failed' },
    ])
  })

  it('counts when they do not fit, and shows one that is at work', () => {
    const board = createFileBoard(files, 1)
    board.apply(seen(1, half))
    expect(board.rows()).toMatchObject([
      {
        key: 'all',
        state: 'running',
        text: expect.stringMatching(/^0 of 2 files done: studio {2}coder {2}b\.gguf {2}━{20} {2}100%/),
      },
    ])
    board.apply(seen(1, { state: 'done', have: gib }))
    expect(board.rows()).toEqual([{ key: 'all', state: 'running', text: '1 of 2 files done' }])
  })

  it.each<[string, readonly (readonly [number, FileProgress])[], string, string]>([
    [
      'all are complete',
      [
        [0, { state: 'done', have: 0 }],
        [1, { state: 'done', have: 0 }],
      ],
      'done',
      '2 of 2 files done',
    ],
    [
      'one failed',
      [
        [0, { state: 'failed', have: 0 }],
        [1, { state: 'done', have: 0 }],
      ],
      'failed',
      '1 of 2 files done, 1 failed',
    ],
    ['one continues', [[1, { state: 'done', have: 0 }]], 'skipped', '1 of 2 files done'],
  ])('counts at its end that %s', (_name, all, state, text) => {
    const board = createFileBoard(files, 1)
    for (const [file, progress] of all) board.apply(seen(file, progress))
    board.close()
    expect(board.rows()).toEqual([{ key: 'all', state, text }])
  })
})

it.each<[FileProgress, string]>([
  [{ state: 'fetching', have: 0 }, '────────────────────    0%  0 B of 40 GiB'],
  [{ state: 'fetching', have: 40 * gib - 1 }, '━━━━━━━━━━━━━━━━━━━─   99%  40 GiB of 40 GiB'],
  // More than the whole is there while a piece is put behind the others.
  [{ state: 'fetching', have: 41 * gib }, '━━━━━━━━━━━━━━━━━━━━  100%  41 GiB of 40 GiB'],
  [
    { state: 'hashing', have: 10 * gib, bytesPerS: gib, etaS: 30 },
    '━━━━━───────────────   25%  10 GiB of 40 GiB  hashing  1 GiB/s  30s left',
  ],
  [
    { state: 'fetching', have: gib, bytesPerS: 1000, etaS: 41_875_931 },
    '────────────────────    2%  1 GiB of 40 GiB  1000 B/s  1y 119d left',
  ],
  [{ state: 'waiting', have: 0 }, '40 GiB'],
  [{ state: 'failed', have: 0, note: 'the disk is full' }, 'the disk is full'],
  [{ state: 'stopped', have: 20 * gib }, ' 50%  20 GiB of 40 GiB  stopped'],
])('%o', (progress, words) => {
  expect(progressWords({ host: 'nas', service: 'coder', name: 'a.gguf', bytes: 40 * gib }, progress)).toBe(words)
})
