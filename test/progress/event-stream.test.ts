import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEventStream } from '../../src/progress/event-stream.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-events-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const now = () => new Date('2026-11-01T08:00:00Z')
const event = { type: 'host-started', host: 'nas' } as const

test('one line per event, in a new file that only its owner can read', async () => {
  const file = join(folder, 'events.ndjson')
  const stream = openEventStream(file, now)
  stream.emit(event)
  stream.emit({ type: 'finished' })
  await stream.close()
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { at: '2026-11-01T08:00:00.000Z', ...event },
    { at: '2026-11-01T08:00:00.000Z', type: 'finished' },
  ])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a descriptor that is open', async () => {
  const file = join(folder, 'events.ndjson')
  await writeFile(file, '')
  const stream = openEventStream(String(openSync(file, 'w')), now)
  stream.emit(event)
  await stream.close()
  expect(readFileSync(file, 'utf8')).toContain('"nas"')
})

test('a pipe without a reader is refused, and a full one delays the run only briefly', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => openEventStream(pipe, now)).toThrow(/ENXIO/)
  const reader = spawn('sh', ['-c', 'exec <"$1"; echo opened; sleep 60', 'sh', pipe])
  // It is opened once we are there: the pipe has both ends or none.
  const opened = once(reader.stdout, 'data')
  const stream = await until(() => openEventStream(pipe, now))
  await opened
  for (let count = 0; count < 5000; count += 1) stream.emit(event)
  const began = Date.now()
  await stream.close()
  expect(Date.now() - began).toBeLessThan(20_000)
  reader.kill()
})

async function until<T>(attempt: () => T): Promise<T> {
  for (;;) {
    try {
      return attempt()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
