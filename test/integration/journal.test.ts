import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { openJournalFile } from '../../src/apply/journal-file.ts'
import { parseJournal } from '../../src/journal/read-journal.ts'
import type { JournalEntry } from '../../src/model/journal.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

const sh = promisify(execFile)

describe('the file of a journal', () => {
  it('keeps whole lines on a full disk, and continues when the disk has room', async ({ expect }) => {
    const disk = await mkdtemp(join(tmpdir(), 'journal-disk-'))
    await sh('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      await using file = await openJournalFile(join(disk, 'run.ndjson'))
      await file.append('first\n')
      await writeFile(join(disk, 'ballast'), 'x'.repeat(56 * 1024))
      await expect(file.append(`${'y'.repeat(10_000)}\n`)).rejects.toMatchObject({ code: 'ENOSPC' })
      await rm(join(disk, 'ballast'))
      await file.append('second\n')
      expect(await readFile(join(disk, 'run.ndjson'), 'utf8')).toBe('first\nsecond\n')
      await expect(openJournalFile(join(disk, 'run.ndjson'))).rejects.toMatchObject({ code: 'EEXIST' })
    } finally {
      await sh('umount', [disk])
      await rm(disk, { recursive: true })
    }
  })
})

async function journalsOf(site: LinuxSite): Promise<readonly (readonly JournalEntry[])[]> {
  const folder = join(site.state, 'runs')
  const names = (await readdir(folder)).toSorted()
  return Promise.all(names.map(async (name) => parseJournal(await readFile(join(folder, name), 'utf8'))))
}

describe.concurrent('what an apply leaves on the controller', { timeout: 120_000 }, () => {
  it('records what was decided, sent and proved; only its owner can read it, and it contains no key', async ({ expect }) => {
    await using site = await openLinuxBox(13_550)
    await site.inventory({ flagship: site.flagship() })
    const applied = await site.converge('apply', '-y', '--limit', 'box')
    expect(applied.code, applied.output).toBe(0)
    const [journal = [], ...more] = await journalsOf(site)
    expect(more).toEqual([])
    expect(journal[0]).toMatchObject({ event: 'run-begun', verb: 'apply', selection: { limit: 'box', services: [] } })
    expect(journal.at(-1)).toMatchObject({ event: 'run-ended', exit_code: 0, second_plan: [] })
    const intended = journal.filter((entry) => entry.event === 'step-intended')
    const ended = journal.filter((entry) => entry.event === 'step-ended')
    expect(ended).toMatchObject(intended.map(({ n }) => ({ n, outcome: 'done' })))
    expect(intended.map(({ action }) => action)).toContain('box/flagship/start')
    const recorded = new Set(journal.map(({ event }) => event))
    expect(recorded).toContain('service-proved')
    expect(recorded).toContain('host-ended')

    const folder = join(site.state, 'runs')
    const [name = ''] = await readdir(folder)
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(folder, name), 'utf8')).not.toContain('k3y/etc')
  })

  it('is made before anything is sent: where it cannot be, nothing is done', async ({ expect }) => {
    await using site = await openLinuxBox(13_551)
    await site.inventory({ flagship: site.flagship() })
    await writeFile(site.state, 'a file where the folder would be')
    const ended = await site.converge('apply', '-y')
    expect(ended.code, ended.output).toBe(64)
    expect(ended.output).toContain('STATE.UNUSABLE')
    expect(site.box.systemd.service('flagship.service').unit.loadState).toBe('not-found')
  })
})
