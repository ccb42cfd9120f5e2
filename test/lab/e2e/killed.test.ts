import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/model/plan.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { nothingSentRuns } from './model-server.ts'
import { actionsOn, changesOn, expectExit, expectWords, hostPlan, kindA, kindB, machine, openSite, type Site } from './site.ts'

/** The engine has replaced the container, and the run is killed before it gets the answer. */
const slowEngine = `#!/bin/sh
/usr/bin/docker "$@"
code=$?
case "$*" in *" up -d "*) if [ -e /run/hold ]; then mv /run/hold /run/held; sleep 10; fi ;; esac
exit $code`

function expectNoLock(plan: Plan): void {
  expect(hostPlan(plan, 'nas').warnings.filter(({ code }) => code.startsWith('HOST.LOCK'))).toEqual([])
}

describe.skipIf(noLab)('a run that is killed in the middle', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let box: LabHost
  const onNas = (more: object = {}) => site.write({ nas: machine({ coder: kindA({ ...more }) }) })
  const container = () => mustExec(nas, `docker inspect -f '{{.Id}} {{.State.StartedAt}}' coder`)
  const keys = () => mustExec(nas, 'ls -A /etc/converge/keys /etc/converge/compose/coder')

  async function killedOnNas(): Promise<void> {
    await mustExec(nas, 'touch /run/hold')
    const [file = '', ...before] = command
    const run = execa(file, [...before, ...site.arguments(['apply', '-y'])], {
      env: site.environment(),
      extendEnv: false,
      cwd: site.home,
      stdin: 'ignore',
      reject: false,
    })
    await expect.poll(() => mustExec(nas, 'ls /run/held 2>/dev/null || :')).toBe('/run/held')
    run.kill('SIGKILL')
    await run
    // Sent commands run to their end; after that no sign of life comes.
    expect(await nothingSentRuns(nas)).toBe('')
    await mustExec(nas, 'rm -f /run/held; echo 1000000000 >/etc/converge/lock/beat')
  }

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    nas = lab.host('nas')
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await mustExec(nas, `cat >/usr/local/bin/docker <<'EOF'\n${slowEngine}\nEOF\nchmod +x /usr/local/bin/docker`)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('leaves no key behind: the next plan names what is left, and the next apply takes it away without touching the server', async () => {
    await onNas()
    expectExit(await site.run(['apply', '-y']), 0)
    await onNas({ key_delivery: 'inline' })
    await killedOnNas()
    const started = await container()
    expect(await keys()).toContain('coder.key.converge-previous')

    const outcome = expectExit(await site.run(['plan', '--json']), 0)
    const plan = outcome.plan()
    const [action, ...more] = actionsOn(plan, 'nas')
    expect(more).toEqual([])
    expect(action).toMatchObject({ id: 'nas/coder/update', interrupts: false, starts: false, risk: 'safe' })
    expect(action?.changes).toEqual([
      { field: 'key_file', from: '***', to: null, effect: 'none' },
      ...['compose/coder/compose.yaml.converge-previous', 'keys/coder.key.converge-previous'].map((path) => ({
        field: 'leftover',
        from: `/etc/converge/${path}`,
        to: null,
        effect: 'none',
      })),
      // Written last, so that it is still that of the apply before.
      {
        field: 'record',
        from: expect.stringMatching(/^sha256 /),
        to: expect.stringMatching(/^sha256 /),
        effect: 'none',
      },
    ])
    expect(hostPlan(plan, 'nas').warnings.map(({ code }) => code)).toContain('HOST.LOCK_DEAD')

    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    // What the killed run started is proved now, although nothing was started by this one.
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'coder', ok: true }])
    expect(await container()).toBe(started)
    expect(await keys()).toBe('/etc/converge/compose/coder:\ncompose.yaml\n\n/etc/converge/keys:')
    expect(changesOn(expectExit(await site.run(['plan', '--json']), 0).plan(), 'nas')).toEqual([])
    expectNoLock(expectExit(await site.run(['plan', '--json']), 0).plan())
  })

  it('is made good also where nothing is left to be done', async () => {
    await mustExec(
      nas,
      'mkdir -p /etc/converge/lock && echo 1000000000 >/etc/converge/lock/beat && echo {} >/etc/converge/lock/owner',
    )
    const started = await container()
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts).toMatchObject([{ host: 'nas', actions: [], smoke: [{ service: 'coder', ok: true }] }])
    expect(await container()).toBe(started)
    expectNoLock(expectExit(await site.run(['plan', '--json']), 0).plan())
  })

  it('does not hide a unit that it could not record', async () => {
    const flagship = kindB({ user: 'op' })
    await site.write({ box: machine({ flagship }) })
    expectExit(await site.run(['apply', '-y']), 0)
    await mustExec(box, 'rm /etc/converge/applied/flagship.json; touch /etc/systemd/system/.flagship.service.converge.AbC123')
    await site.write({ box: machine({}) })
    const { stdout } = expectExit(await site.run(['plan', '-v']), 0)
    expectWords(stdout, ['SERVICE.FORGOTTEN', 'flagship.service', 'com.lab.flagship'])

    await site.write({ box: machine({ flagship: { ...flagship, state: 'absent' } }) })
    expectExit(await site.run(['apply', '-y', '--allow', 'WARM.RESTART@flagship', '--reason', 'it goes away']), 0)
    expect(await mustExec(box, 'ls -A /etc/systemd/system /etc/converge/keys | grep flagship || :')).toBe('')
  })
})
