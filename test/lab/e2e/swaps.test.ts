import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostPlan } from '../../../src/model/plan.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { chat } from './model-server.ts'
import { expectExit, expectWords, hostPlan, kindA, machine, openSite, type Site } from './site.ts'

/** A NAS with room for two servers: whatever the machine of the tests has does not count as small. */
const roomy = { small_ram_gb: 1 }

const answerOf = (name: string) => ({ status: 200, body: { object: 'chat.completion', model: name } })

/** Each test goes on where the one before it ended. */
describe.skipIf(noLab)('two servers of a NAS that swap their ports', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let plan: HostPlan
  /** Which server is stopped temporarily, and which changes meanwhile; measured starts select the shorter downtime. */
  let absent: string
  let other: string
  const want = (coder: number, writer: number) =>
    site.write({ nas: machine({ coder: kindA({ port: coder }), writer: kindA({ port: writer }) }) }, roomy)
  const order = () => [`${absent}/stop`, `${absent}/update`, `${other}/update`, `${absent}/start`].map((id) => `nas/${id}`)
  const heard = () => Promise.all([9990, 9991].map((port) => chat(nas, port, 'any model')))
  const containers = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.State}} {{.Ports}}' | sort`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await want(9990, 9991)
    expectExit(await site.run(['apply', '-y']), 0)
    await want(9991, 9990)
    plan = hostPlan(expectExit(await site.run(['plan', '--json']), 0).plan(), 'nas')
    const [stop, , update] = plan.actions
    absent = stop?.service ?? ''
    other = update?.service ?? ''
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('are planned in the only kind of order there is: one makes room, and comes back last', async () => {
    expect(await heard()).toMatchObject([answerOf('coder'), answerOf('writer')])
    expect(plan.refusals).toEqual([])
    expect([absent, other].toSorted()).toEqual(['coder', 'writer'])
    expect(plan.actions.map(({ id }) => id)).toEqual(order())
    expect(plan.actions[0]?.temporary?.makes_room_for).toEqual([`nas/${other}/update`])
  })

  it('are said to be down meanwhile, for as long as their starts were measured to take', async () => {
    expect(plan.downtime?.map(({ service }) => service)).toEqual([absent, other])
    const [longer = 0, shorter = 0] = plan.downtime?.map(({ seconds }) => seconds ?? 0) ?? []
    expect(shorter).toBeGreaterThan(0)
    // Who makes room is down at least until the other one runs.
    expect(longer).toBeGreaterThan(shorter)
    const { stdout } = expectExit(await site.run(['plan', '--no-color']), 0)
    expectWords(stdout, [
      new RegExp(`■ stop ${absent} .*Stopped temporarily, until ${other} has changed\\. .*\\(downtime: about .*, until`),
      new RegExp(`> start ${absent} +Starts again after its temporary stop`),
      new RegExp(`^ {2}downtime: ${absent} \\(about .*\\), ${other} \\(about .*\\)$`, 'm'),
      /^Downtime: 2 services, the longest about .*\.$/m,
    ])
  })

  it('do so in one apply, as the plan said, and answer on their new ports', async () => {
    const since = await mustExec(nas, 'date +%s.%N')
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    const [host] = report.hosts
    expect(host?.actions.map(({ action }) => action)).toEqual(order())
    expect(host?.actions.every(({ status }) => status === 'applied')).toBe(true)
    expect(host?.smoke.map(({ service, ok }) => [service, ok]).toSorted()).toEqual([
      ['coder', true],
      ['writer', true],
    ])
    expect(await heard()).toMatchObject([answerOf('writer'), answerOf('coder')])
    expect(await containers()).toMatch(/^coder running .*:9991->9991\/tcp.*\nwriter running .*:9990->9990\/tcp.*$/)
    const events = `docker events --since ${since} --until "$(date +%s.%N)" --filter event=start --filter event=die`
    const lines = await mustExec(nas, `${events} --format '{{.Actor.Attributes.name}} {{.Action}}'`)
    // While it makes its new container, compose calls the old one by its number as well.
    const happened = lines.split('\n').map((line) => line.replace(/^[0-9a-f]{12}_/, ''))
    expect(happened).toEqual([`${absent} die`, `${other} die`, `${other} start`, `${absent} start`])
  })

  it('leave nothing to do, and nothing behind', async () => {
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expect(await mustExec(nas, `find /etc/converge -name lock -o -name '*previous*' -o -name '.*'`)).toBe('')
  })
})
