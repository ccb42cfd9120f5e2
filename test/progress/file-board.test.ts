import { expect, it } from 'vitest'
import type { FetchedFile } from '../../src/model/event.ts'
import { createFileBoard } from '../../src/progress/file-board.ts'
import { createPlainDisplay } from '../../src/progress/plain.ts'

const gib = 1024 ** 3
const files: readonly FetchedFile[] = [
  { host: 'nas', service: 'coder', name: 'a-1.gguf', bytes: 4 * gib },
  { host: 'studio', service: 'coder', name: 'a-1.gguf', bytes: 4 * gib },
]

it('has a row for each file, with a bar while it comes', () => {
  const board = createFileBoard(files, 30)
  board.apply({ type: 'file-progress', file: 0, state: 'fetching', have: gib, bytesPerS: gib / 64, etaS: 192 })
  expect(board.rows()).toEqual([
    {
      key: '0',
      state: 'running',
      text: 'nas  coder  a-1.gguf     ━━━━━───────────────   25%  1 GiB of 4 GiB  16 MiB/s  3m 12s left',
    },
    { key: '1', state: 'waiting', text: 'studio  coder  a-1.gguf  4 GiB' },
  ])
  board.apply({ type: 'file-progress', file: 0, state: 'hashing', have: 2 * gib })
  board.apply({ type: 'file-progress', file: 1, state: 'done', have: 4 * gib })
  expect(board.rows().map(({ state, text }) => `${state}: ${text}`)).toEqual([
    'running: nas  coder  a-1.gguf     ━━━━━━━━━━──────────   50%  2 GiB of 4 GiB  taking its digest',
    'done: studio  coder  a-1.gguf  4 GiB, digest right',
  ])
  board.close()
  expect(board.rows().map(({ state }) => state)).toEqual(['skipped', 'done'])
})

it('counts where there are more files than rows', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({
    host: 'nas',
    service: 'b',
    name: `${index}.safetensors`,
    bytes: gib,
  }))
  const board = createFileBoard(many, 30)
  for (let file = 0; file < 12; file++) board.apply({ type: 'file-progress', file, state: 'done', have: gib })
  board.apply({ type: 'file-progress', file: 12, state: 'fetching', have: gib / 2 })
  expect(board.rows().map(({ text }) => text)).toEqual([
    '12 of 200 files done: nas  b  12.safetensors  ━━━━━━━━━━──────────   50%  512 MiB of 1 GiB',
  ])
})

it('is a line now and then where there is no terminal', () => {
  const lines: string[] = []
  let now = 0
  const display = createPlainDisplay({ stream: { write: (text: string) => lines.push(text) }, now: () => now })
  display.emit({ type: 'fetch-started', files })
  for (let second = 0; second <= 40; second += 2) {
    now = second * 1000
    display.emit({ type: 'file-progress', file: 0, state: 'fetching', have: second * 1024 ** 2 })
  }
  display.emit({ type: 'file-progress', file: 0, state: 'failed', have: gib, note: 'failed' })
  expect(lines).toEqual([
    'Fetching 2 files\n',
    'nas | coder | a-1.gguf |   0%  0 B of 4 GiB\n',
    'nas | coder | a-1.gguf |   0%  30 MiB of 4 GiB\n',
    'nas | coder | a-1.gguf | failed\n',
  ])
})
