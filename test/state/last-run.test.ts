import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../../src/context/context.ts'
import { openFleet, type SelectionFlags } from '../../src/run/open-fleet.ts'
import { namesLastRun, readLastRun } from '../../src/state/last-run.ts'
import { type JournalPlace, openJournalPlace } from '../support/written-journals.ts'

let here: JournalPlace
beforeEach(async () => {
  here = await openJournalPlace()
})
afterEach(() => here[Symbol.asyncDispose]())

const select = async (limit: string, more: Pick<SelectionFlags, 'shard' | 'runId'> = {}) => {
  const inventory = join(here.state, 'fleet.yaml')
  await writeFile(
    inventory,
    'all: { vars: { platform: linux, fleet: { org: example } }, hosts: { nas: {}, box: {}, mini: {}, attic: {} } }\n',
  )
  await writeFile(join(here.state, 'failed'), 'mini\n')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is asked for
  return (await openFleet(here.place as Context, { inventory, limit, ...more })).hosts.map(({ name }) => name)
}
const fleet = () => join(here.state, 'fleet.yaml')

describe('--limit with hosts of the last run', () => {
  it('selects what failed, what was not reached, and what patterns make of it', async () => {
    const hosts = { nas: 'failed', box: 'unreached', mini: 'finished', attic: 'failed', gone: 'failed' } as const
    await here.write([
      { id: 'a', inventory: fleet(), hosts: { mini: 'failed' } },
      { id: 'b', inventory: fleet(), hosts },
      { id: 'c', inventory: '/srv/another', hosts: { mini: 'failed' } },
    ])
    expect(await select('@failed')).toEqual(['nas', 'attic'])
    expect(here.said()).toContain('gone')
    expect(await select('@unreached')).toEqual(['box'])
    expect(await select('@failed,@unreached')).toEqual(['nas', 'attic', 'box'])
    expect(await select('@failed:!nas')).toEqual(['attic'])
    expect(await select(`@${join(here.state, 'failed')}`)).toEqual(['mini'])
  })

  it('takes all shards of the last run, each host as it was left last', async () => {
    await here.write([
      { id: 'a', inventory: fleet(), shard: '1/3 of monday', hosts: { nas: 'failed', attic: 'failed' } },
      { id: 'b', inventory: fleet(), shard: '2/3 of monday', hosts: { box: 'unreached' } },
      { id: 'c', inventory: fleet(), shard: '1/3 of monday', verb: 'resume', continues: 'a', hosts: { nas: 'finished' } },
    ])
    expect(await select('@failed,@unreached')).toEqual(['attic', 'box'])
    expect(here.said()).toContain('this machine has no journal of shard 3/3')
  })

  it('takes a last shard that shares no id alone, and says so', async () => {
    await here.write([
      { id: 'a', inventory: fleet(), shard: '1/2', hosts: { nas: 'failed' } },
      { id: 'b', inventory: fleet(), shard: '2/2', hosts: { box: 'failed' } },
    ])
    expect(await select('@failed')).toEqual(['box'])
    expect(here.said()).toContain('The last run was shard 2/2 alone')
  })

  it('means the run before in every shard of a new run', async () => {
    await here.write([
      { id: 'a', inventory: fleet(), hosts: { nas: 'failed', box: 'failed' } },
      { id: 'b', inventory: fleet(), shard: '1/2 of again', hosts: { mini: 'failed' } },
    ])
    // nas is in the second shard of two, and box in the first.
    expect(await select('@failed', { shard: '2/2', runId: 'again' })).toEqual(['nas'])
    expect(await select('@failed', { shard: '1/2', runId: 'again' })).toEqual(['box'])
    await expect(select('@failed', { shard: '1/2' })).rejects.toMatchObject({ code: 'USAGE.SHARD' })
  })

  it('is an error if the last run left no such host', async () => {
    await here.write([{ id: 'b', inventory: fleet(), hosts: { nas: 'failed' } }])
    for (const limit of ['@unreached', '@unreached:!nas'])
      await expect(select(limit)).rejects.toMatchObject({
        code: 'USAGE.NO_HOSTS',
        why: expect.stringContaining('The last run of this inventory, b,'),
      })
  })

  it('is an error where there was no run', async () => {
    await expect(select('@failed')).rejects.toMatchObject({ code: 'RESUME.NO_RUN' })
    await expect(
      readLastRun(here.place, {
        path: fleet(),
        settings: { org: '', ports: { min: 1, reserved: [] }, headroomGb: 1, smallRamGb: 1 },
        hosts: [],
        groups: [],
        digest: '',
      }),
    ).rejects.toMatchObject({ code: 'RESUME.NO_RUN' })
  })

  it('is distinguished from files by its form', () => {
    for (const limit of ['@failed', 'nas,@unreached', '@failed:&macs', '@failed @unreached'])
      expect(namesLastRun(limit)).toBe(true)
    for (const limit of ['@./failed', '@failed.txt', 'failed', '@unreached/x', 'x@failed'])
      expect(namesLastRun(limit)).toBe(false)
  })
})
