import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostPlan } from '../../../src/model/plan.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginApply, type Interruptible, type Way } from './interruptible.ts'
import { chat, nothingSentRuns, until } from './model-server.ts'
import { expectExit, expectWords, hostPlan, kindA, machine, openSite, type Site } from './site.ts'

/** An engine that takes its time to replace a container: until `/run/held` is taken away. */
const slowEngine = `#!/bin/sh
case "$*" in
  *" up -d "*) if [ -e /run/hold ]; then mv /run/hold /run/held; while [ -e /run/held ]; do sleep 0.2; done; fi ;;
esac
exec /usr/bin/docker "$@"
`

/** A server that takes its time to load: until `hold` is taken away from beside its model. */
const slowServer = `#!/bin/sh
while [ -e /models/hold ]; do sleep 0.2; done
exec /usr/bin/llama-server "$@"
`

const makeSlowImage = `cat >/tmp/slow-serve && chmod +x /tmp/slow-serve
docker create --name slow ghcr.io/ggml-org/llama.cpp:server && docker cp /tmp/slow-serve slow:/usr/bin/
docker commit --change 'ENTRYPOINT ["/usr/bin/slow-serve"]' slow lab/slow:1 && docker rm slow`

const first = /Interrupted: nothing new is started/
const second = /Interrupted again: work on the hosts is ended now/

/** What both are changed to. */
const applied = { ctx_size: 1024 }

const answerOf = (name: string) => ({ status: 200, body: { object: 'chat.completion', model: name } })

/** Each test goes on where the one before it ended; on a NAS with room for two servers. */
describe.skipIf(noLab)('two servers of a NAS', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await mustExec(nas, makeSlowImage, { stdin: slowServer })
    await mustExec(nas, 'cat >/usr/local/bin/docker && chmod +x /usr/local/bin/docker', { stdin: slowEngine })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const want = (more: object, [coder, writer] = [9990, 9991]) => {
    const slow = (port: number | undefined) => kindA({ port, image: 'lab/slow:1', ...more })
    return site.write({ nas: machine({ coder: slow(coder), writer: slow(writer) }) }, { small_ram_gb: 1 })
  }

  const answers = (port: number) =>
    until(
      async () => (await nas.exec(`curl -s --max-time 5 http://127.0.0.1:${port}/health`)).stdout,
      (said) => said.includes('ok'),
      60_000,
    )
  const containers = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.ID}} {{.State}}' | sort`)
  const heard = () => Promise.all([9990, 9991].map((port) => chat(nas, port, 'any model')))
  const published = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.State}} {{.Ports}}' | sort`)

  async function heldApply(way: Way): Promise<Interruptible> {
    await mustExec(nas, 'touch /run/hold')
    const run = await beginApply(site, way)
    const held = await until(
      () => mustExec(nas, 'ls /run/held 2>&1 || :'),
      (said) => said === '/run/held',
      60_000,
    )
    expect(held).toBe('/run/held')
    return run
  }

  /** Neither a lock nor anything that a run started, but servers. */
  async function expectNothingLeft(): Promise<void> {
    expect(await mustExec(nas, 'ls -d /etc/converge/lock 2>/dev/null || :')).toBe('')
    expect(await nothingSentRuns(nas)).toBe('')
    await expect.poll(() => mustExec(nas, "pgrep -fl 'sshd-session: [o]p' || :")).toBe('')
  }

  describe('in an apply that is interrupted during a slow start', () => {
    it.each([
      ['Ctrl-C in a terminal', 'coder', 'writer'],
      ['SIGTERM', 'writer', ''],
    ] as const)(
      'by %s, finishes the step in flight, does not wait for the server, and begins nothing new',
      async (way, service, next) => {
        await want({})
        await mustExec(nas, 'touch /srv/models/tiny/hold')
        await using run = await heldApply(way)
        await run.interrupt()
        await run.says(first)
        await mustExec(nas, 'rm /run/held')
        const output = await run.ended()
        expectWords(output, [
          /^exit 130$/m,
          new RegExp(`✔ start ${service}`),
          new RegExp(`\\? ${service} {2}not verified: .*the run was interrupted`),
          ...(next === '' ? [] : [`- start ${next}  not run: the run was interrupted before this action`]),
          /^Interrupted: \d applied, .*0 of \d servers? verified\.$/m,
          /^next: converge resume /m,
        ])
        await expectNothingLeft()
        expect(await containers()).toMatch(
          next === '' ? /^coder \S+ running\nwriter \S+ running$/ : /^coder \S+ running\nwriter \S+ created$/,
        )
        await mustExec(nas, 'rm /srv/models/tiny/hold')
        expect(await answers(service === 'coder' ? 9990 : 9991)).toContain('ok')
      },
    )

    it.each<Way>(['Ctrl-C in a terminal', 'SIGTERM'])(
      'twice by %s, ends the step on the host and gives the lock back; the old server runs on',
      async (way) => {
        const before = await containers()
        await want(applied)
        await using run = await heldApply(way)
        await run.interrupt()
        await run.says(first)
        await run.interrupt()
        await run.says(second)
        const output = await run.ended()
        expectWords(output, [
          /^exit 130$/m,
          /✗ (update|restart) coder {2}failed after/,
          /APPLY\.IN_DOUBT[^]*"replace container coder" was sent, but the second interrupt killed it/,
          '- update writer  not run: the run was interrupted before this action',
          /^Interrupted: 0 applied, 1 failed(?: \(1 partly done\))?, 1 not run\.$/m,
          /^next: converge resume /m,
        ])
        await expectNothingLeft()
        expect(await containers()).toBe(before)
        expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
        await mustExec(nas, 'rm /run/held')
      },
    )

    it('is resumed as its report says: the rest is done, and proved', async () => {
      const report = expectExit(await site.run(['resume', '-y', '--json']), 0).report()
      expect(report.second_plan).toMatchObject({ changes: 0 })
      const proved = report.hosts[0]?.smoke.filter(({ ok }) => ok).map(({ service }) => service)
      expect(proved?.toSorted()).toEqual(['coder', 'writer'])
      expect(await mustExec(nas, `docker inspect -f '{{.Config.Cmd}}' coder writer`)).toMatch(
        /--ctx-size 1024.*\n.*--ctx-size 1024/,
      )
    })
  })

  describe('that swap their ports', () => {
    let plan: HostPlan
    /** Which server is stopped temporarily, and which changes meanwhile; measured starts select the shorter downtime. */
    let absent: string
    let other: string
    const order = () => [`${absent}/stop`, `${absent}/update`, `${other}/update`, `${absent}/start`].map((id) => `nas/${id}`)

    beforeAll(async () => {
      await want(applied, [9991, 9990])
      plan = hostPlan(expectExit(await site.run(['plan', '--json']), 0).plan(), 'nas')
      const [stop, , update] = plan.actions
      absent = stop?.service ?? ''
      other = update?.service ?? ''
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

    it('do so in one apply, as the plan said, answer on their new ports, and leave nothing to do', async () => {
      const since = await mustExec(nas, 'date +%s.%N')
      const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
      const [host] = report.hosts
      expect(host?.actions.map(({ action }) => action)).toEqual(order())
      expect(host?.actions.every(({ status }) => status === 'applied')).toBe(true)
      expect(host?.smoke.map(({ service, ok }) => [service, ok]).toSorted()).toEqual([
        ['coder', true],
        ['writer', true],
      ])
      expect(report.second_plan).toMatchObject({ changes: 0 })
      expect(await heard()).toMatchObject([answerOf('writer'), answerOf('coder')])
      expect(await published()).toMatch(/^coder running .*:9991->9991\/tcp.*\nwriter running .*:9990->9990\/tcp.*$/)
      const events = `docker events --since ${since} --until "$(date +%s.%N)" --filter event=start --filter event=die`
      const lines = await mustExec(nas, `${events} --format '{{.Actor.Attributes.name}} {{.Action}}'`)
      // While it makes its new container, compose calls the old one by its number as well.
      const happened = lines.split('\n').map((line) => line.replace(/^[0-9a-f]{12}_/, ''))
      expect(happened).toEqual([`${absent} die`, `${other} die`, `${other} start`, `${absent} start`])
    })

    it('leave nothing behind', async () => {
      expect(await mustExec(nas, `find /etc/converge -name lock -o -name '*previous*' -o -name '.*'`)).toBe('')
    })
  })
})
