import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/model/plan.ts'
import { casesOf, seed as given } from '../../support/series.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { freezeNext, isFrozen } from './freezing-engine.ts'
import { chat, nothingSentRuns } from './model-server.ts'
import { actionsOn, changesOn, expectExit, expectWords, hostPlan, kindA, kindB, machine, openSite, type Site } from './site.ts'

/** The engine has replaced the container, and the run is killed before it gets the answer: until `/run/held` is taken away. */
const slowEngine = `#!/bin/sh
/usr/bin/docker "$@"
code=$?
case "$*" in *" up -d "*) if [ -e /run/hold ]; then mv /run/hold /run/held; while [ -e /run/held ]; do sleep 0.2; done; fi ;; esac
exit $code`

const patient = { timeout: 90_000, interval: 500 }

/** Three minutes are too long for a test: the host waits only for this many seconds. */
const seconds = 8

function expectNoLock(plan: Plan): void {
  expect(hostPlan(plan, 'nas').warnings.filter(({ code }) => code.startsWith('HOST.LOCK'))).toEqual([])
}

/** How often a run is killed at a random moment, and where the series of moments begins. */
const kills = casesOf({ short: 2, long: 20 })
const seed = given ?? Date.now() % 100_000

/** What the server is changed to and from, so that every way of changing it is cut somewhere. */
const wishes: readonly { readonly port: number; readonly ctx_size: number; readonly key_delivery: string }[] = [
  { port: 9990, ctx_size: 2048, key_delivery: 'file' },
  { port: 9990, ctx_size: 1024, key_delivery: 'file' },
  { port: 9992, ctx_size: 1024, key_delivery: 'inline' },
  { port: 9990, ctx_size: 1024, key_delivery: 'inline' },
]

/** A run from its first look to its last takes about so long; it is measured before the first kill. */
let wholeMs = 10_000

/** Park and Miller's generator: the same seed, the same moments. */
function moments(from: number): () => number {
  let state = (from % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Each test goes on where the one before it ended. */
describe.skipIf(noLab)('a run that is gone', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let box: LabHost
  const want = (more: object) => site.write({ nas: machine({ coder: kindA({ ...more }) }) })
  const begin = () => {
    const [file = '', ...before] = command
    const options = { env: site.environment(), extendEnv: false, cwd: site.home, stdin: 'ignore', reject: false } as const
    return execa(file, [...before, ...site.arguments(['apply', '-y'])], options)
  }

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    nas = lab.host('nas')
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await want({})
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const timers = () => mustExec(nas, 'ls /etc/converge/deadman 2>/dev/null || :')
  const definition = () => mustExec(nas, 'sha256sum /etc/converge/compose/coder/compose.yaml /etc/converge/keys/coder.key')
  const serves = () => mustExec(nas, `docker inspect -f '{{.State.Running}} {{json .Config.Cmd}}' coder 2>/dev/null || :`)
  const container = () => mustExec(nas, `docker inspect -f '{{.Id}} {{.State.StartedAt}}' coder`)
  const keys = () => mustExec(nas, 'ls -A /etc/converge/keys /etc/converge/compose/coder')

  /** Begins a run that loads a server which never gets ready, and returns while it is being loaded. */
  async function loading() {
    await want({ ctx_size: 1024, ready_timeout: 600 })
    await freezeNext(nas, 'coder')
    const run = begin()
    await expect.poll(() => isFrozen(nas), patient).toBe(true)
    await mustExec(nas, `echo ${seconds} >"$(echo /etc/converge/deadman/*.armed)/patience"`)
    return { run }
  }

  async function killedOnNas(): Promise<void> {
    await mustExec(nas, 'touch /run/hold')
    const run = begin()
    await expect.poll(() => mustExec(nas, 'ls /run/held 2>/dev/null || :')).toBe('/run/held')
    run.kill('SIGKILL')
    await run
    // Sent commands run to their end; after that no sign of life comes.
    await mustExec(nas, 'rm /run/held')
    expect(await nothingSentRuns(nas)).toBe('')
    await mustExec(nas, 'echo 1000000000 >/etc/converge/lock/beat')
  }

  async function killAfter(ms: number): Promise<void> {
    const run = begin()
    await sleep(ms)
    run.kill('SIGKILL')
    await run
  }

  /** The watchdog waits for commands, or ends them, before the lock is dead; then no sign of life comes for two minutes. */
  async function twoMinutesLater(): Promise<void> {
    expect(await nothingSentRuns(nas)).toBe('')
    await mustExec(nas, 'if [ -d /etc/converge/lock ]; then echo 1000000000 >/etc/converge/lock/beat; fi')
  }

  async function expectRestored(before: string): Promise<void> {
    await expect.poll(timers, patient).toMatch(/^\w+\.undone$/)
    expect(await definition()).toBe(before)
    expect(await serves()).not.toContain('1024')
    await expect.poll(async () => (await chat(nas, 9990, 'coder')).status, patient).toBe(200)
    expect(await mustExec(nas, 'ls -d /etc/converge/lock 2>/dev/null || :')).toBe('')
  }

  describe('before the new server is proved', () => {
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
      expect(report.hosts[0]?.actions).toEqual([])
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

  describe('before it gets an answer', () => {
    beforeAll(() => mustExec(nas, `cat >/usr/local/bin/docker <<'EOF'\n${slowEngine}\nEOF\nchmod +x /usr/local/bin/docker`))

    it('leaves no key behind: the next plan names what is left, and the next apply takes it away without touching the server', async () => {
      await want({ key_delivery: 'inline' })
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
      const next = expectExit(await site.run(['plan', '--json']), 0).plan()
      expect(changesOn(next, 'nas')).toEqual([])
      expectNoLock(next)
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

  describe(`at ${kills} random moments (seed ${seed})`, () => {
    beforeAll(async () => {
      await mustExec(nas, 'rm /usr/local/bin/docker')
      await want(wishes[1] ?? {})
      const began = Date.now()
      expectExit(await site.run(['apply', '-y']), 0)
      wholeMs = Date.now() - began
    })

    it('converges each time with the next apply, answers, and has nothing left behind', { timeout: 900_000 }, async () => {
      const random = moments(seed)
      const rounds: string[] = []
      for (let round = 1; round <= kills; round += 1) {
        const wish = wishes[(round + 1) % wishes.length] ?? { port: 9990 }
        await want(wish)
        const ms = Math.round(random() * wholeMs * 1.1)
        await killAfter(ms)
        await twoMinutesLater()
        const next = await site.run(['apply', '-y', '--json'])
        rounds.push(`${round}: killed after ${ms} of ${wholeMs} ms, next apply ${next.exitCode}`)
        const { hosts, second_plan } = expectExit(next, 0).report()
        // A run that did nothing, because the killed one had done it all, does not plan again.
        expect(second_plan).toEqual(hosts[0]?.actions.length === 0 ? undefined : { changes: 0, actions: [] })
        expect(await chat(nas, wish.port ?? 9990, 'coder')).toMatchObject({ status: 200 })
        const left = await mustExec(
          nas,
          `ls -d /etc/converge/lock /etc/converge/deadman/* 2>/dev/null; find /etc/converge -name '*previous*' -o -name '.*converge*'; docker ps -a --format '{{.Names}} {{.State}}'`,
        )
        expect(`${rounds.at(-1)}\n${left}`).toBe(`${rounds.at(-1)}\ncoder running`)
      }
      process.stdout.write(`${rounds.join('\n')}\n`)
    })
  })
})
