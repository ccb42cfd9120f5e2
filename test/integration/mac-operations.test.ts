import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { RunReport } from '../../src/model/report.ts'
import { type MacSite, openMac } from './mac-site.ts'

const profiles = {
  coding: { coder: 'running', writer: 'stopped' },
  writing: { coder: 'stopped', writer: 'running' },
}

const actionsOf = ({ hosts }: Pick<Plan, 'hosts'>) =>
  hosts.flatMap(({ actions }) => actions.filter(({ kind }) => kind !== 'noop').map(({ kind, service }) => `${kind} ${service}`))

/** Both begin with a coder that runs and a writer that does not. */
describe('what a person asks for by name', { timeout: 240_000 }, () => {
  let site: MacSite
  beforeAll(async () => {
    site = await openMac(14_930, { machine: { memoryBytes: 32 * 1024 ** 3 } })
    const writer = site.coder({ port: site.port + 1, alias: 'writer', state: 'stopped', ready_timeout: 8 })
    await site.inventory({ coder: site.coder({ ready_timeout: 8 }), writer }, {}, { profiles })
    await done(0, 'apply', '-y')
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const done = async (code: number, ...args: readonly string[]) => {
    const ended = await site.converge(...args)
    expect(ended.code, `converge ${args.join(' ')}: ${ended.output}`).toBe(code)
    return ended
  }
  const plan = async (...args: readonly string[]): Promise<Plan> => JSON.parse((await done(0, ...args, '--json')).stdout)
  /** The names of the agents whose servers run. */
  const up = async (): Promise<readonly string[]> => {
    const pids = await Promise.all(['coder', 'writer'].map(async (name) => [name, (await site.job(name)).pid] as const))
    return pids.flatMap(([name, pid]) => (pid === null ? [] : [name]))
  }

  it('lasts until the next apply, or as long as was said', async () => {
    await done(0, 'stop', 'coder@studio', '-y')
    expect(await up()).toEqual([])
    expect(actionsOf(await plan('plan'))).toEqual(['start coder'])
    await done(2, 'drift')
    await done(0, 'start', 'coder', '-y')
    expect(await up()).toEqual(['coder'])
    await done(0, 'drift')

    await done(0, 'stop', 'coder', '--until', '90m', '--reason', 'a game', '-y')
    await done(0, 'apply', '-y')
    expect(await up()).toEqual([])
    const { stdout } = await done(0, 'status')
    expect(stdout).toMatch(/coder .* stopped +stopped .*\n +kept stopped until .* UTC \(.*: a game\); inventory: running/)
    const drift: DriftDocument = JSON.parse((await done(0, 'drift', '--json')).stdout)
    expect(drift.hosts[0]?.ignored).toMatchObject([
      { service: 'coder', field: 'override', desired: 'running', actual: 'stopped' },
    ])
    // Its time comes.
    const record = join(site.mac.home, '.config/converge/applied/coder.json')
    const over = (await readFile(record, 'utf8')).replace(
      /("until": )"[^"]*"/,
      `$1"${new Date(Date.now() - 1000).toISOString()}"`,
    )
    await writeFile(record, over)
    const report: RunReport = JSON.parse((await done(0, 'apply', '-y', '--json')).stdout)
    expect(actionsOf(report.plan ?? { hosts: [] })).toEqual(['start coder'])
    expect(report.second_plan).toEqual({ changes: 0, actions: [] })
    expect(await up()).toEqual(['coder'])

    const before = (await site.job()).pid
    await done(0, 'restart', 'coder', '-y')
    expect((await site.job()).pid).not.toBe(before)
  })

  it('is a profile that two servers of a small Mac swap for, never both at once', async () => {
    expect((await done(3, 'start', 'writer', '-y')).output).toContain('CORUN.SECOND_KIND_A')

    expect(actionsOf(await plan('use', 'writing', '--check'))).toEqual(['stop coder', 'start writer'])
    await done(0, 'use', 'writing', '--until', 'revert', '-y')
    expect(await up()).toEqual(['writer'])
    expect((await done(0, 'use')).stdout).toMatch(/writing +yes +it is reverted/)
    await done(0, 'apply', '-y')
    expect(await up()).toEqual(['writer'])

    const knobs = `${site.mac.llamaServer}.knobs.json`
    await writeFile(knobs, JSON.stringify({ neverWith: '--alias coder' }))
    const failed = await done(6, 'use', 'coding', '-y')
    expect(failed.output).toContain('Restoring the states from before')
    expect(await up()).toEqual(['writer'])
    await writeFile(knobs, '{}')
    await done(0, 'apply', '-y')
    expect(await up()).toEqual(['writer'])

    await done(0, 'use', 'coding', '-y')
    expect(await up()).toEqual(['coder'])
    await done(0, 'plan', '--detailed-exitcode')

    // A part that needed no server leaves no override behind.
    await done(0, 'stop', 'coder', '-y')
    await writeFile(knobs, JSON.stringify({ neverWith: '--alias writer' }))
    await done(6, 'use', 'writing', '--until', 'revert', '-y')
    await writeFile(knobs, '{}')
    expect(await up()).toEqual([])
    expect(actionsOf(await plan('plan'))).toEqual(['start coder'])
    await done(64, 'use', 'codign')
  })
})
