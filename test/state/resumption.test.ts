import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JournalledRun } from '../../src/journal/journalled-run.ts'
import type { ApprovalUsed } from '../../src/model/journal.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import { approvalsAgain, findResumption, findShardToResume, mustBeSame } from '../../src/state/resumption.ts'
import { type JournalPlace, openJournalPlace, type RunCase } from '../support/written-journals.ts'

interface Case {
  readonly name: string
  readonly runs: readonly RunCase[]
  readonly takes: Readonly<Record<string, readonly string[]>> | null
}

const cases: readonly Case[] = parse(readFileSync(new URL('../fixtures/journal/resumptions.yaml', import.meta.url), 'utf8'))

let here: JournalPlace
beforeEach(async () => {
  here = await openJournalPlace()
})
afterEach(() => here[Symbol.asyncDispose]())

describe('the run to resume', () => {
  it.each(cases)('$name', async ({ runs, takes }) => {
    await here.write(runs)
    const found = await findResumption(here.place, '/srv/fleet', undefined)
    expect(found === undefined ? null : { [found.run.begun.run_id]: found.hosts }).toEqual(takes)
  })

  it('is the one that is named, by its id or by how it begins', async () => {
    const hosts = { nas: 'failed' } as const
    await here.write([
      { id: '20261101T0900-aa', hosts },
      { id: '20261101T0900-ab', hosts },
      { id: '20261102', hosts },
    ])
    const take = (name: string) => findResumption(here.place, '/srv/fleet', name)
    expect((await take('20261101T0900-aa'))?.run.begun.run_id).toBe('20261101T0900-aa')
    expect((await take('20261102'))?.run.begun.run_id).toBe('20261102')
    await expect(take('20261101')).rejects.toMatchObject({ code: 'RESUME.NO_RUN', why: '2 runs begin with 20261101.' })
    await expect(take('2025')).rejects.toMatchObject({
      code: 'RESUME.NO_RUN',
      next: [{ command: ['history'] }],
    })
    await expect(findResumption(here.place, '/srv/another', '20261102')).rejects.toMatchObject({
      why: expect.stringContaining('/srv/fleet'),
    })
  })

  it('leaves out a journal that is no file, or was edited, and says so', async () => {
    await here.write([{ id: 'a', hosts: { nas: 'failed' } }])
    execFileSync('mkfifo', [join(here.state, 'runs', 'b.ndjson')])
    await mkdir(join(here.state, 'runs', 'c.ndjson'))
    await here.write([{ id: 'd', hosts: { nas: 'failed' } }])
    const edited = (await readFile(join(here.state, 'runs', 'd.ndjson'), 'utf8')).replace('"actions"', '"deeds"')
    await writeFile(join(here.state, 'runs', 'd.ndjson'), edited)
    expect((await findResumption(here.place, '/srv/fleet', undefined))?.run.begun.run_id).toBe('a')
    expect(here.said().split('\n').toSorted().slice(1)).toEqual([
      expect.stringMatching(/^Skipped: the journal .*\/b.ndjson cannot be read: it is not a regular file but a named pipe\.$/),
      expect.stringMatching(/c.ndjson cannot be read: it is not a regular file but a folder\.$/),
      expect.stringMatching(/d.ndjson cannot be read: its plan was not written by converge\.$/),
    ])
    await expect(findResumption(here.place, '/srv/fleet', 'b')).rejects.toMatchObject({
      code: 'RESUME.NO_RUN',
      why: expect.stringMatching(/not a regular file but a named pipe\. Without it/),
    })
  })

  it('is refused if the inventory has changed', async () => {
    await here.write([{ id: 'a', playbook: 'site.yaml', hosts: { nas: 'failed' } }])
    const found = await findResumption(here.place, '/srv/fleet', undefined)
    if (found === undefined) throw new Error('nothing was found')
    expect(() => mustBeSame(found, 'd', 'p')).not.toThrow()
    for (const [inventory, playbook] of [
      ['other', 'p'],
      ['d', 'other'],
      ['d', undefined],
    ] as const)
      expect(() => mustBeSame(found, inventory, playbook)).toThrow('RESUME.OTHER_INPUT')
  })

  it('takes along the approvals that were used and still hold, for what they were used for', async () => {
    await here.write([{ id: 'a', hosts: { nas: 'failed' } }])
    const found = await findResumption(here.place, '/srv/fleet', undefined)
    if (found === undefined) throw new Error('nothing was found')
    const approval = { event: 'consent-used', host: 'nas', code: 'WARM.RESTART', service: 'coder', reason: 'night' } as const
    const run = withApprovals(found.run, [approval, { ...approval, service: 'late', until: '2026-11-01T10:00:00Z' }], [])
    const at = (now: string) =>
      approvalsAgain({ ...found, run }, new Date(now)).map(({ service, host, reason }) => [service, host, reason])
    expect(at('2026-11-01T09:59:00Z')).toEqual([
      ['coder', 'nas', 'night'],
      ['late', 'nas', 'night'],
    ])
    expect(at('2026-11-01T10:01:00Z')).toEqual([['coder', 'nas', 'night']])
  })

  it('named itself, is without what those that went on with it have finished', async () => {
    await here.write([
      { id: 'a', hosts: { nas: 'failed', box: 'failed' } },
      { id: 'b', verb: 'resume', continues: 'a', hosts: { nas: 'finished', box: 'failed' } },
      { id: 'c', verb: 'resume', continues: 'b', hosts: { box: 'failed' } },
      { id: 'd', hosts: { box: 'finished' } },
    ])
    expect(await settledOf('a')).toEqual({ nas: ['nas/coder/start'], box: [] })
    expect(await settledOf('d')).toEqual({ box: ['box/coder/start'] })
  })

  it('takes no approval along for what is done', async () => {
    await here.write([{ id: 'a', hosts: { nas: 'failed' } }])
    const found = await findResumption(here.place, '/srv/fleet', undefined)
    if (found === undefined) throw new Error('nothing was found')
    const approval = { event: 'consent-used', host: 'nas', code: 'WARM.RESTART', service: 'coder', reason: 'night' } as const
    const run = withApprovals(found.run, [approval, { ...approval, service: 'other' }], ['nas/coder/restart'])
    expect(approvalsAgain({ ...found, run }, new Date(0)).map(({ service }) => service)).toEqual(['other'])
  })
})

async function takeShard(id: string) {
  const { run, hosts } = await findShardToResume(here.place, '/srv/fleet', id)
  return { [run.begun.run_id]: hosts }
}

describe('the shard to resume', () => {
  it('is the one that was cut off, among those that share the id of their run', async () => {
    await here.write([
      { id: 'a', shard: '1/3 of monday', hosts: { nas: 'finished' } },
      { id: 'b', shard: '2/3 of monday', hosts: { box: 'failed', mini: 'finished' } },
      { id: 'c', shard: '3/3 of monday', hosts: { attic: 'finished' } },
      { id: 'd', shard: '1/3 of tuesday', hosts: { nas: 'failed' } },
      { id: 'e', hosts: { nas: 'failed' } },
    ])
    expect(await takeShard('monday')).toEqual({ b: ['box'] })
    expect(await takeShard('tuesday')).toEqual({ d: ['nas'] })
    await expect(takeShard('mon')).rejects.toMatchObject({ code: 'RESUME.NO_RUN', why: expect.stringContaining('--run-id mon.') })
  })

  it('is none once it was run again, or resumed', async () => {
    const cut = { id: 'a', shard: '1/2 of monday', hosts: { nas: 'failed', box: 'unreached' } } as const
    await here.write([cut, { id: 'b', shard: '1/2 of monday', hosts: { nas: 'finished', box: 'finished' } }])
    expect(await takeShard('monday')).toEqual({ b: [] })
    await rm(join(here.state, 'runs', 'b.ndjson'))
    await here.write([{ id: 'c', shard: '1/2 of monday', verb: 'resume', continues: 'a', hosts: { nas: 'finished' } }])
    expect(await takeShard('monday')).toEqual({ a: ['box'] })
  })

  it('has to be named if there are several', async () => {
    await here.write([
      { id: 'a', shard: '1/2 of monday', hosts: { nas: 'failed' } },
      { id: 'b', shard: '2/2 of monday', hosts: { box: 'failed' } },
    ])
    await expect(takeShard('monday')).rejects.toMatchObject({
      code: 'RESUME.SEVERAL',
      why: expect.stringContaining('shards 2/2, 1/2'),
      next: [{ command: ['resume', 'b'] }, { command: ['resume', 'a'] }],
    })
  })
})

async function settledOf(name: string) {
  const found = await findResumption(here.place, '/srv/fleet', name)
  return Object.fromEntries(found?.run.hosts.map((host) => [host.host, host.settled]) ?? [])
}

/** As if each had been used for a restart of its service. */
function withApprovals(run: JournalledRun, approvals: readonly ApprovalUsed[], settled: readonly string[]): JournalledRun {
  const consented = approvals.map(({ code, service = '' }): Refusal => {
    const words = { summary: '', why: '', evidence: [], next: [], consentable: true }
    return { code, service, actions: [`nas/${service}/restart`], ...words }
  })
  const plan = { ...run.plan, hosts: run.plan.hosts.map((host) => ({ ...host, consented })) }
  return { ...run, plan, approvals, hosts: run.hosts.map((host) => ({ ...host, settled })) }
}
