import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { appendFile, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, test } from 'vitest'
import { readLogs } from '../../src/logs/read-logs.ts'
import { busyboxFolder } from '../support/busybox-folder.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { readFrom } from './reading.ts'

const busybox = await busyboxFolder()
afterAll(() => busybox[Symbol.asyncDispose]())

const shells = [
  ['sh', '/bin/sh'],
  ['BusyBox', '/usr/bin/env', `PATH=${busybox.path}`, 'sh'],
  ['bash', '/bin/bash', '--posix'],
]
const every = thorough(shells)

const fileIn = ({ folder }: ShTransport, name = 'coder.log') => join(folder, name)

describe.each(shells)('a log file, read by %s', (_, ...shell) => {
  test('is shown from its end, without keys, and says why it cannot be', async ({ expect }) => {
    await using here = await shTransport(shell)
    const [log, keys] = [fileIn(here), fileIn(here, 'coder.key')]
    await writeFile(keys, 'PLAINKEY,WITH-COMMA\n')
    const long = `${'x'.repeat(70_000)} PLAINKEY,WITH-COMMA`
    await writeFile(log, `1\n2\n3 PLAINKEY,WITH-COMMA Bearer abc\n4\n${long}\nno end`)
    const reading = readFrom(
      here,
      [
        { in: 'file', path: log },
        { in: 'file', path: `${log}.none` },
        { in: 'file', path: here.folder },
      ],
      {
        count: 4,
        keyFiles: [keys, `${keys}.none`],
      },
    )
    await reading.over
    const [first, second, cut = '', last] = reading.texts()
    expect([first, second, last]).toEqual(['3 *** Bearer ***', '4', 'no end'])
    expect(cut).toMatch(/^x{8192}… \(cut\)$/)
    expect(reading.troubles).toEqual([
      { kind: 'missing', why: `there is no file ${log}.none` },
      { kind: 'unreadable', why: `${here.folder} is not a file` },
    ])
  })
})

describe.each(every)('a log file, followed by %s', { concurrent: true }, (_, ...shell) => {
  test('is followed where it is renamed, by the server that still writes to it and the one after it', async ({ expect }) => {
    await using here = await shTransport(shell)
    const log = fileIn(here)
    await writeFile(log, 'old\nfirst\n')
    const reading = readFrom(here, [{ in: 'file', path: log }], { follow: true, count: 1 })
    await expect.poll(reading.texts).toEqual(['first'])
    await rename(log, `${log}.0`)
    await appendFile(`${log}.0`, 'without a file of its name\n')
    await expect.poll(reading.texts).toContain('without a file of its name')
    await writeFile(log, '')
    await appendFile(`${log}.0`, 'beside an empty one\n')
    await expect.poll(reading.texts).toContain('beside an empty one')
    await appendFile(`${log}.0`, 'its last word\n')
    await appendFile(log, 'begun again\n')
    await expect.poll(reading.texts).toContain('begun again')
    await appendFile(log, 'and on\n')
    await expect.poll(reading.texts).toContain('and on')
    expect(reading.texts()).toEqual([
      'first',
      'without a file of its name',
      'beside an empty one',
      'its last word',
      'begun again',
      'and on',
    ])
    await reading.stop()
    expect(reading.troubles).toEqual([])
  })

  test('is followed where it is truncated, with a copy beside it', async ({ expect }) => {
    await using here = await shTransport(shell)
    const log = fileIn(here)
    await writeFile(log, 'a long first line\nsecond\n')
    const reading = readFrom(here, [{ in: 'file', path: log }], { follow: true })
    await expect.poll(reading.texts).toHaveLength(2)
    await writeFile(`${log}.1`, 'a long first line\nsecond\n')
    await truncate(log)
    await sleep(1500)
    await appendFile(log, 'new\n')
    await expect.poll(reading.texts).toEqual(['a long first line', 'second', 'new'])
    await reading.stop()
  })

  test('is waited for, removed and waited for again; with -n 0 only what is new counts', async ({ expect }) => {
    await using here = await shTransport(shell)
    const [log, other] = [fileIn(here, 'folder/coder.log'), fileIn(here, 'other.log')]
    await writeFile(other, 'before\n')
    const reading = readFrom(
      here,
      [
        { in: 'file', path: log },
        { in: 'file', path: other },
      ],
      { follow: true, count: 0 },
    )
    await expect.poll(() => reading.troubles).toEqual([{ kind: 'missing', why: `there is no file ${log}` }])
    await expect.poll(() => isAwaited(other)).toBe(true)
    await appendFile(other, 'after\n')
    await mkdir(join(log, '..'))
    await writeFile(log, 'one\n')
    await expect.poll(() => reading.texts().toSorted()).toEqual(['after', 'one'])
    await rm(log)
    await sleep(1500)
    await writeFile(log, 'two\n')
    await expect.poll(() => reading.texts().toSorted()).toEqual(['after', 'one', 'two'])
    await reading.stop()
  })

  test('is read after its empty successor was made', async ({ expect }) => {
    await using here = await shTransport(shell)
    const log = fileIn(here)
    await writeFile(`${log}.0`, 'the server writes here\n')
    await writeFile(log, '')
    const reading = readFrom(here, [{ in: 'file', path: log }])
    await reading.over
    expect(reading.texts()).toEqual(['the server writes here'])
  })
})

/** Whether a reader has read the file to its end, and sleeps until it looks for more. */
function isAwaited(path: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/0`) === path && readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep\0')
    } catch {
      return false
    }
  })
}

test('lines of several sources do not mix', async ({ expect }) => {
  await using here = await shTransport()
  const logs = ['a', 'b', 'c'].map((name) => fileIn(here, name))
  for (const log of logs) await writeFile(log, `${log.slice(-1).repeat(1500)}\n`.repeat(300))
  const sources = logs.map((path) => ({ in: 'file' as const, path }))
  const reading = readFrom(here, sources, { follow: true, count: 'all' })
  await expect.poll(reading.texts).toHaveLength(900)
  expect(new Set(reading.texts())).toEqual(new Set(['a', 'b', 'c'].map((letter) => letter.repeat(1500))))
  await reading.stop()
})

test('a host that prints faster than its lines are taken has to wait', async ({ expect }) => {
  await using here = await shTransport()
  const log = fileIn(here)
  await writeFile(log, `${'x'.repeat(99)}\n`.repeat(500_000))
  let taken = 0
  const stopping = new AbortController()
  const to = {
    line: () => {
      taken += 1
      return sleep(taken > 100 ? 100 : 0)
    },
    trouble: () => undefined,
  }
  const before = memory()
  const asked = { source: { in: 'file', path: log }, lines: 'all' } as const
  const over = readLogs(here, { logs: [asked], follow: true, keyFiles: [] }, to, stopping.signal)
  over.catch(() => undefined)
  await sleep(2000)
  expect(taken).toBeLessThan(200)
  expect(memory() - before).toBeLessThan(20 * 1024 ** 2)
  stopping.abort(new Error('enough'))
  await expect(over).rejects.toThrow('enough')
})

function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('nothing stays behind', async ({ expect }) => {
  await using here = await shTransport()
  const mark = fileIn(here, 'a-mark-of-its-own.log')
  await writeFile(mark, 'x\n')
  const reading = readFrom(here, [{ in: 'file', path: mark }], { follow: true })
  await expect.poll(reading.texts).toHaveLength(1)
  expect(here.running.size).toBe(1)
  const [group] = here.running
  await reading.stop()
  await expect.poll(() => membersOf(group)).toBe('')
})

function membersOf(group: number | undefined): string {
  return execFileSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8', maxBuffer: 1e8 })
    .split('\n')
    .filter((line) => line.trim().startsWith(`${group} `) && !/^\s*\d+\s+Z/.test(line))
    .join('\n')
}
