import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/apply/lock.ts'
import { systemClock } from '../../src/time/clock.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

const sh = promisify(execFile)
const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

const who = { owner: 'op', controller: 'laptop', pid: 1, runId: 'r', clock: systemClock, settleS: 0 }

const take = (host: ShTransport, root: string, token = 'new') => takeLock({ ...who, transport: host, root, token })

/** The lock of a run whose last sign of life was so long ago. */
function leaveLock(root: string, silentS: number): string {
  mkdirSync(join(root, 'lock'), { recursive: true })
  writeFileSync(join(root, 'lock/owner'), '{"owner":"eve","token":"old"}\n')
  writeFileSync(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - silentS}\n`)
  return join(root, 'lock')
}

async function withDisk(host: ShTransport, work: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(host.folder, 'disk')
  mkdirSync(disk)
  await sh('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
  try {
    await work(disk)
  } finally {
    await sh('umount', [disk])
  }
}

function fill(disk: string): void {
  try {
    for (let n = 0; n < 100; n++) writeFileSync(join(disk, `ballast-${n}`), 'x'.repeat(4096))
  } catch {
    // Full.
  }
}

/**
 * A shell in which the first `mkdir` of a lock finds that of another run, which releases it before it is read.
 */
async function withVanishingLock(
  shell: readonly string[],
  work: (shell: readonly string[], met: () => boolean) => Promise<void>,
) {
  const bin = mkdtempSync(join(tmpdir(), 'vanishing-lock-'))
  const lines = [
    '#!/bin/sh',
    `case "$*" in */lock) if [ ! -e '${bin}/met' ]; then : >'${bin}/met'; echo "mkdir: File exists" >&2; exit 1; fi ;; esac`,
    'exec /bin/mkdir "$@"',
  ]
  writeFileSync(join(bin, 'mkdir'), `${lines.join('\n')}\n`, { mode: 0o755 })
  try {
    await work(['env', `PATH=${bin}:${process.env['PATH']}`, ...shell], () => existsSync(join(bin, 'met')))
  } finally {
    rmSync(bin, { recursive: true })
  }
}

const named = (some: readonly (readonly string[])[]) => some.map((shell) => [shell.join(' '), shell] as const)

it.each(named(shells))(
  'the lock with %s on a full disk is as it was, or is not made, and that is called by its name',
  async (_name, shell) => {
    await using host = await shTransport(shell)
    await withDisk(host, async (disk) => {
      const lock = leaveLock(disk, 500)
      const beat = readFileSync(join(lock, 'beat'), 'utf8')
      fill(disk)
      const full = {
        code: 'APPLY.LOCK_UNUSABLE',
        summary: expect.stringContaining('disk of the host is full'),
        next: [expect.objectContaining({ command: expect.stringContaining('df -h') })],
      }
      await expect(take(host, disk)).rejects.toMatchObject(full)
      expect(readdirSync(lock).toSorted()).toEqual(['beat', 'owner'])
      expect(readFileSync(join(lock, 'owner'), 'utf8')).toContain('"old"')
      expect(readFileSync(join(lock, 'beat'), 'utf8')).toBe(beat)
      rmSync(lock, { recursive: true })
      fill(disk)
      await expect(take(host, disk)).rejects.toMatchObject(full)
      expect(readdirSync(disk)).not.toContain('lock')
      for (const name of readdirSync(disk)) rmSync(join(disk, name))
      await (await take(host, disk)).release()
    })
  },
)

describe.each(named(thorough(shells)))('the lock with %s', (_name, shell) => {
  it('on a disk that cannot be written to', async () => {
    await using host = await shTransport(shell)
    await withDisk(host, async (disk) => {
      const held = await take(host, disk, 'holder')
      await sh('mount', ['-o', 'remount,ro', disk])
      await expect(take(host, join(disk, 'converge'))).rejects.toMatchObject({
        code: 'APPLY.LOCK_UNUSABLE',
        summary: expect.stringContaining('read-only for this account'),
      })
      const problem = await held.release()
      expect(problem).toMatchObject({ code: 'APPLY.LOCK_UNUSABLE', why: expect.stringMatching(/read-only/i) })
      await sh('mount', ['-o', 'remount,rw', disk])
    })
  })

  it('with something in it that converge did not put there is named, and not taken over or given back', async () => {
    await using host = await shTransport(shell)
    const lock = leaveLock(host.folder, 10)
    writeFileSync(join(lock, 'my notes.txt'), '')
    await expect(take(host, host.folder)).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    leaveLock(host.folder, 500)
    await expect(take(host, host.folder)).rejects.toMatchObject({
      code: 'APPLY.LOCK_UNUSABLE',
      why: expect.stringContaining('contains my notes.txt'),
    })
    expect(readdirSync(lock).toSorted()).toEqual(['beat', 'my notes.txt', 'owner'])
    rmSync(join(lock, 'my notes.txt'))
    const held = await take(host, host.folder)
    writeFileSync(join(lock, '.DS_Store'), '')
    expect(await held.release()).toMatchObject({
      code: 'APPLY.LOCK_UNUSABLE',
      why: expect.stringContaining('contains .DS_Store'),
    })
  })

  it('whose sign of life lies ahead of a clock that was set back dies by the date of its folder', async () => {
    await using host = await shTransport(shell)
    const lock = leaveLock(host.folder, -3600)
    await expect(take(host, host.folder)).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    const old = Date.now() / 1000 - 300
    utimesSync(lock, old, old)
    const held = await take(host, host.folder)
    expect(held.note).toContain('took over a dead lock')
    expect(await held.release()).toBeUndefined()
  })
})

// Busybox takes its own `mkdir` before any in the path.
it.each(named(thorough(shells.filter(([name]) => name !== 'busybox'))))(
  'a lock that is released between the attempt to create it and the look at it is taken, with %s',
  async (_name, shell) => {
    await withVanishingLock(shell, async (inIt, met) => {
      await using host = await shTransport(inIt)
      const held = await take(host, host.folder)
      expect(met()).toBe(true)
      expect(held.note).toBeUndefined()
      expect(await held.release()).toBeUndefined()
    })
  },
)
