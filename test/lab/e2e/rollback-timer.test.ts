import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { freezeNext, isFrozen } from './freezing-engine.ts'
import { chat } from './model-server.ts'
import { actionsOn, changesOn, expectExit, expectWords, hostPlan, kindA, machine, openSite, type Site } from './site.ts'

const patient = { timeout: 90_000, interval: 500 }

/** Three minutes are too long for a test: the host waits only for this many seconds. */
const seconds = 8

describe.skipIf(noLab)('a host whose run is gone before the new server is proved', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const want = (more: object) => site.write({ nas: machine({ coder: kindA({ ...more }) }) })
  const timers = () => mustExec(nas, 'ls /etc/converge/deadman 2>/dev/null || :')
  const definition = () => mustExec(nas, 'sha256sum /etc/converge/compose/coder/compose.yaml /etc/converge/keys/coder.key')
  const started = () => mustExec(nas, `docker inspect -f '{{.State.Running}} {{json .Config.Cmd}}' coder 2>/dev/null || :`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await want({})
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  /** Begins a run that loads a server which never gets ready, and returns while it is being loaded. */
  async function loading() {
    await want({ ctx_size: 1024, ready_timeout: 600 })
    await freezeNext(nas, 'coder')
    const [file = '', ...before] = command
    const options = { env: site.environment(), extendEnv: false, cwd: site.home, stdin: 'ignore', reject: false } as const
    const run = execa(file, [...before, ...site.arguments(['apply', '-y'])], options)
    await expect.poll(() => isFrozen(nas), patient).toBe(true)
    await mustExec(nas, `echo ${seconds} >"$(echo /etc/converge/deadman/*.armed)/patience"`)
    return { run }
  }

  async function expectRestored(before: string): Promise<void> {
    await expect.poll(timers, patient).toMatch(/^\w+\.undone$/)
    expect(await definition()).toBe(before)
    expect(await started()).not.toContain('1024')
    await expect.poll(async () => (await chat(nas, 9990, 'coder')).status, patient).toBe(200)
    expect(await mustExec(nas, 'ls -d /etc/converge/lock 2>/dev/null || :')).toBe('')
  }

  it('restores the old server, which answers, and the next plan reports it', { timeout: 240_000 }, async () => {
    const before = await definition()
    const { run } = await loading()
    run.kill('SIGKILL')
    await run
    await expectRestored(before)
    const plan = expectExit(await site.run(['plan', '--json']), 0).plan()
    expect(hostPlan(plan, 'nas').warnings.map(({ code }) => code)).toContain('HOST.RESTORED')
    expect(changesOn(plan, 'nas')).toEqual(['update coder'])
    expectWords((await site.run(['status'])).stdout, ['the host rolled it back at'])
    await want({})
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'coder', ok: true }])
    expect(actionsOn(expectExit(await site.run(['plan', '--json']), 0).plan(), 'nas')).toEqual([])
    expect(await timers()).toBe('')
  })

  it('restores it without a network, and the run reports that when the network is back', { timeout: 240_000 }, async () => {
    const before = await definition()
    const { run } = await loading()
    // The run goes on, and nothing of it arrives.
    await mustExec(nas, 'pkill -STOP -x sshd; pkill -STOP -x sshd-session; pkill -STOP -x sshd-auth; :')
    await expectRestored(before)
    await mustExec(nas, 'pkill -CONT -x sshd; pkill -CONT -x sshd-session; pkill -CONT -x sshd-auth; :')
    run.kill('SIGTERM')
    const { exitCode } = await run
    expect(exitCode).not.toBe(0)
    expect(await definition()).toBe(before)
    await want({})
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await timers()).toBe('')
  })
})
