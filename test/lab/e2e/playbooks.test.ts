import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { processesOf } from './model-server.ts'
import { asRoot, expectExit, expectWords, kindA, kindB, machine, openSite, refusalsOn, type Site } from './site.ts'

const fronts = (host: LabHost) => processesOf(host, '^/usr/bin/python3 /opt/kindb/serve serve ')

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Three hosts of their own: one first, then the two others; the first over the user's own ssh, the last behind a bastion. */
describe.skipIf(noLab)('a playbook over several hosts', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let box: LabHost
  let inner: LabHost

  const inventory = ({ coder = {}, flagship = {} }: { coder?: object; flagship?: object } = {}) =>
    site.write({
      nas: machine({ coder: kindA({ ...coder }) }, { ansible_connection: 'openssh' }),
      box: machine({ flagship: kindB({ ...flagship }) }, asRoot),
      inner: machine({ flagship: kindB({ ...flagship }) }, asRoot),
    })

  const playbook = async (...plays: readonly object[]): Promise<string> => {
    const path = join(site.directory, 'site.yaml')
    await writeFile(path, stringify(plays))
    return path
  }

  const oneFirst = { name: 'one first', hosts: 'all', serial: [1, '100%'], max_fail_percentage: 0 }

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
      { name: 'bastion', kind: 'bastion' },
      { name: 'inner', kind: 'box', behind: 'bastion' },
    ])
    nas = lab.host('nas')
    box = lab.host('box')
    inner = lab.host('inner')
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('ends with the batch that failed: the hosts behind it are not touched', async () => {
    await inventory({ coder: { extra_args: ['--no-such-flag'] } })
    const report = expectExit(await site.run(['apply', await playbook(oneFirst), '-y', '--json']), 5).report()
    const statuses = report.hosts.map(({ host, actions }) => [host, [...new Set(actions.map(({ status }) => status))]])
    expect(Object.fromEntries(statuses)).toEqual({ nas: ['applied', 'failed'], box: ['not-run'], inner: ['not-run'] })
    for (const host of [box, inner])
      expect(await mustExec(host, 'ls /etc/systemd/system/flagship.service /etc/converge 2>/dev/null || :')).toBe('')
  })

  it('continues if the first batch is proved, and leaves nothing to do', async () => {
    await inventory()
    const path = await playbook(oneFirst)
    const outcome = expectExit(await site.run(['apply', path, '-y']), 0)
    // Piped, progress is one line for each thing that happens, in the order of happening.
    const done = outcome.stderr.split('\n').findIndex((line) => /^nas \| .*(works|verified|done)/.test(line))
    const next = outcome.stderr.split('\n').findIndex((line) => /^(box|inner) \| .*(lock|install)/.test(line))
    expect(done).toBeGreaterThan(0)
    expect(next).toBeGreaterThan(done)
    expect(await fronts(box)).toHaveLength(1)
    expect(await fronts(inner)).toHaveLength(1)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('gives leave for what its play selects and for nothing else, and only until its end', async () => {
    const before = { box: await fronts(box), inner: await fronts(inner) }
    await inventory({ flagship: { ctx: 8192 } })
    const approval = { code: 'WARM.RESTART', service: 'flagship', reason: 'a test' }
    const late = await playbook({ name: 'late', hosts: 'box', approvals: [{ ...approval, until: daysFromNow(-1) }] })
    expectWords(expectExit(await site.run(['apply', late, '-y']), 64).stderr, ['USAGE.APPROVAL_EXPIRED'])
    expect(await fronts(box)).toEqual(before.box)

    const plays = [
      { name: 'with leave', hosts: 'box', approvals: [{ ...approval, until: daysFromNow(1) }] },
      { name: 'without', hosts: 'inner' },
    ]
    const path = await playbook(...plays)
    expect(refusalsOn(expectExit(await site.run(['plan', path, '--json']), 3).plan(), 'inner')).toEqual(['WARM.RESTART flagship'])
    expectExit(await site.run(['apply', path, '-y']), 3)
    expect(await fronts(box)).not.toEqual(before.box)
    expect(await fronts(box)).toHaveLength(1)
    expect(await fronts(inner)).toEqual(before.inner)
  })

  it('proves nothing if requested', async () => {
    await inventory({ flagship: { ctx: 8192, state: 'absent' }, coder: { state: 'absent' } })
    const path = await playbook({ name: 'away', hosts: 'all', verify: 'none' })
    const allow = ['--allow', 'WARM.RESTART@flagship', '--reason', 'it goes']
    const report = expectExit(await site.run(['apply', path, '-y', '--json', ...allow]), 0).report()
    expect(report.hosts.flatMap(({ smoke }) => smoke)).toEqual([])
    expect(await mustExec(nas, 'docker ps -aq; find /etc/converge -type f ! -name audit.log')).toBe('')
    expect(await fronts(inner)).toEqual([])
  })
})
