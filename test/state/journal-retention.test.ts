import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beyond, forgetOldJournals, type StoredJournal } from '../../src/state/journal-retention.ts'

const limits = { runs: 3, bytes: 1000, unfinishedMs: 30 * 86_400_000 }

/** Newest first; `!` before a size: it can still be resumed. */
async function kept(sizes: readonly string[]): Promise<readonly string[]> {
  const stored = sizes.map((size, index): StoredJournal => {
    return { name: `${index}`, bytes: Number(size.replace('!', '')), writtenAt: 0 }
  })
  const going = await beyond(stored, limits, async ({ name }) => !sizes[Number(name)]?.startsWith('!'))
  return stored.filter((one) => !going.includes(one)).map(({ name }) => name)
}

describe('the journals that are kept', () => {
  it.each([
    ['all within the limits', ['10', '10', '10'], ['0', '1', '2']],
    ['the newest of too many', ['10', '10', '10', '10', '10'], ['0', '1', '2']],
    ['the newest of too large ones', ['400', '400', '400'], ['0', '1']],
    ['the last one, however large', ['5000', '10'], ['0']],
    ['those that are not finished', ['10', '10', '!10', '10', '!10'], ['0', '2', '4']],
    ['those that are not finished, beyond the limits', ['10', '!10', '!10', '!10', '10'], ['0', '1', '2', '3']],
  ])('are %s', async (_what, sizes, names) => {
    expect(await kept(sizes)).toEqual(names)
  })

  it('are on the disk, by their content', async () => {
    const state = await mkdtemp(join(tmpdir(), 'retention-'))
    await mkdir(join(state, 'runs'))
    const now = new Date('2026-12-01T00:00:00Z')
    const write = async (name: string, days: number, became: 'applied' | 'failed' | 'killed early') => {
      const path = join(state, 'runs', `${name}.ndjson`)
      const at = now.toISOString()
      const plan = { hosts: [{ host: 'nas', reachable: true, actions: [{ id: 'nas/coder/start', kind: 'start' }] }] }
      const report = { host: 'nas', reachable: true, actions: [{ action: 'nas/coder/start', status: became }], smoke: [] }
      const about = { inventory: { path: '/srv/fleet' }, selection: { services: [] } }
      const begun = { event: 'run-begun', format: 1, at, run_id: name, ...about }
      const rest = [
        { event: 'run-planned', at, plan },
        { event: 'host-ended', at, host: 'nas', report },
      ]
      const lines = became === 'killed early' ? [begun] : [begun, ...rest]
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await utimes(path, now.getTime() / 1000, now.getTime() / 1000 - days * 86_400)
    }
    await write('a', 40, 'failed')
    await write('b', 29, 'failed')
    await write('c', 20, 'applied')
    await write('d', 10, 'killed early')
    await write('e', 1, 'applied')
    await writeFile(join(state, 'runs', 'notes.txt'), '')
    await mkdir(join(state, 'runs', 'a-folder.ndjson'))
    execFileSync('mkfifo', [join(state, 'runs', 'a-pipe.ndjson')])
    const context = { env: { CONVERGE_STATE_DIR: state }, cwd: '/', now: () => now }
    await forgetOldJournals(context, { ...limits, runs: 2, bytes: 1e9 })
    expect((await readdir(join(state, 'runs'))).toSorted()).toEqual([
      'a-folder.ndjson',
      'a-pipe.ndjson',
      'b.ndjson',
      'e.ndjson',
      'notes.txt',
    ])
    await rm(state, { recursive: true })
    await forgetOldJournals(context)
  })
})
