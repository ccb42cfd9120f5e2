import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ActionResult } from '../../../src/model/report.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import type { Outcome } from './converge.ts'
import { chat, processesOf, until } from './model-server.ts'
import {
  asRoot,
  changesOn,
  expectExit,
  expectWords,
  hostPlan,
  kindA,
  kindB,
  machine,
  openSite,
  planOf,
  refusalsOn,
  type Site,
} from './site.ts'
import { openTerminal } from './terminal.ts'

/** A program that has nothing to do with models. */
const listener = 'for (IO::Socket::INET->new(LocalPort => 9990, Listen => 1)) { sleep 600 }'

const servers = (host: LabHost) => processesOf(host, '^[^ ]*llama-server ')

/** What goes wrong on hosts that can be reached. */
describe.skipIf(noLab)('bad luck', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let box: LabHost
  const onNas = (more: object = {}, name = 'coder') => site.write({ nas: machine({ [name]: kindA({ ...more }) }, asRoot) })

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    nas = lab.host('nas')
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  describe('on a host that has no service', () => {
    afterEach(clear)

    it('room for the lock and no more: what cannot be written down is not done', async () => {
      await using _ = await smallDisk('8k')
      await onNas()
      const outcome = expectExit(await site.run(['apply', '-y', '--json']), 5)
      const failed = expectFailure(outcome, 'nas', 'install')
      expect(failed.problem).toMatchObject({ code: 'APPLY.NOT_JOURNALLED', why: expect.stringContaining('No space left') })
      expect(outcome.report().hosts[0]?.actions.map(({ status }) => status)).toEqual(['failed', 'not-run'])
      expect(await mustExec(nas, 'find /etc/converge -type f ! -name audit.log')).toBe('')
    })

    it('no room for even the lock', async () => {
      await using _ = await smallDisk('4k')
      await mustExec(nas, 'echo full > /etc/converge/full')
      await onNas()
      const { transcript } = expectExit(await site.run(['apply', '-y']), 5)
      expectWords(transcript, ['APPLY.LOCK_UNUSABLE', 'nas', 'No space left', 'df -h'])
      expect(await mustExec(nas, 'ls /etc/converge')).toBe('full')
    })

    it('an engine that does not run', async () => {
      await mustExec(nas, 'systemctl stop docker.socket docker')
      await onNas()
      const outcome = expectExit(await site.run(['apply', '-y']), 3)
      expect(outcome.transcript).toMatch(/coder/)
      expect(outcome.transcript).toMatch(/not running|does not (run|answer)|cannot connect|could not be reached/i)
      const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
      expect(changesOn(plan, 'nas')).toEqual([])
      await mustExec(nas, 'systemctl start docker')
    })

    it('a key variable that is not set', async () => {
      await site.write({ nas: machine({ coder: kindA({ api_key: { env: 'NO_SUCH_KEY' } }) }, asRoot) })
      const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
      expect(refusalsOn(plan, 'nas')).toEqual(['KEY.MISSING coder'])
      const [refusal] = hostPlan(plan, 'nas').refusals
      expect(refusal?.why).toMatch(/coder.*nas.*NO_SUCH_KEY/)
      expect(refusal?.next.join()).toContain('export NO_SUCH_KEY')
    })

    it.each([
      ['is missing', 'MODEL.MISSING', '/srv/models/tiny/no-such.gguf'],
      ['lacks a shard', 'MODEL.INCOMPLETE', '/srv/models/half/tiny-00001-of-00003.gguf'],
      ['is no GGUF', 'MODEL.INCOMPLETE', '/srv/models/half/text.gguf'],
    ])('a model that %s', async (_, code, path) => {
      await mustExec(
        nas,
        'mkdir -p /srv/models/half && cp /srv/models/tiny-sharded/tiny-0000[13]* /srv/models/half/ && echo this is no model > /srv/models/half/text.gguf',
      )
      await onNas({ model: { path } })
      const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
      expect(refusalsOn(plan, 'nas')).toEqual([`${code} coder`])
      expect(hostPlan(plan, 'nas').refusals[0]).toMatchObject({ why: expect.stringContaining(path) })
    })

    it('a model that is cut off behind its header: the server exits at once, and its last output is reported', async () => {
      await onNas({ model: { path: '/srv/models/broken/truncated.gguf' } })
      const outcome = expectExit(await site.run(['apply', '-y', '--json']), 5)
      const failed = expectFailure(outcome, 'nas', 'start')
      expect(failed.problem?.why).toMatch(/nas.*coder/s)
      expect(failed.problem?.why).toMatch(/tensor|model|gguf/i)
      // It is not left to be started again for ever, and what there is of it can be removed.
      expect(await mustExec(nas, 'docker ps -q')).toBe('')
      await onNas({ state: 'absent' })
      expectExit(await site.run(['apply', '-y']), 0)
      expect(await mustExec(nas, 'docker ps -aq; find /etc/converge -type f ! -name audit.log')).toBe('')
    })

    it('a port that another process takes between plan and apply', async () => {
      await onNas()
      await using terminal = await openTerminal(site, ['apply'], { columns: 120 })
      await terminal.shows(/\[y\/N\]|\(y\/N\)|yes/i)
      await mustExec(nas, `systemd-run --unit=foreign perl -MIO::Socket::INET -e '${listener}'`)
      await expect.poll(() => mustExec(nas, 'ss -Htln sport = :9990')).not.toBe('')
      await terminal.type('y\r')
      expect(await terminal.exitCode()).toBe(5)
      const screen = (await terminal.unbroken()).replaceAll(/\s+/g, ' ')
      expectWords(screen, [/APPLY\.STALE|PORT\.TAKEN/, /9990/, /coder/, /converge plan/])
      expect(await mustExec(nas, 'docker ps -q')).toBe('')

      const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
      expect(refusalsOn(plan, 'nas')).toEqual(['PORT.TAKEN coder'])
      expect(hostPlan(plan, 'nas').refusals[0]?.evidence.join()).toMatch(/perl/)
    })

    it('a server that exits at once because of a flag', async () => {
      await onNas({ extra_args: ['--no-such-flag'] })
      const failed = expectFailure(expectExit(await site.run(['apply', '-y', '--json']), 5), 'nas', 'start')
      expect(failed.problem?.why).toMatch(/no-such-flag/)
      expect(failed.left ?? failed.undone).toBeTruthy()
      expect(await mustExec(nas, 'docker ps -q')).toBe('')
    })

    it('a server that never gets ready: applied, but not proved', async () => {
      await mustExec(
        nas,
        `docker create --name silent ghcr.io/ggml-org/llama.cpp:server && docker commit --change 'ENTRYPOINT ["sh","-c","echo waiting for nothing; exec sleep 600"]' silent lab/silent:1 && docker rm silent`,
      )
      await onNas({ image: 'lab/silent:1', ready_timeout: 4 })
      const { transcript } = expectExit(await site.run(['apply', '-y']), 6)
      expectWords(transcript, [/nas/, /coder/, /health/])
      const report = expectExit(await site.run(['verify', '--json']), 6).report()
      expect(report.hosts[0]?.smoke[0]?.checks.find(({ name }) => name === 'health')).toMatchObject({ ok: false })
    })

    it('another run that holds the lock', async () => {
      await onNas()
      const owner = JSON.stringify({ owner: 'ann', controller: 'desk', run_id: 'r1', runId: 'r1', token: 't1' })
      await mustExec(nas, 'mkdir -p /etc/converge/lock && date +%s > /etc/converge/lock/beat && cat > /etc/converge/lock/owner', {
        stdin: `${owner}\n`,
      })
      const plan = expectExit(await site.run(['plan', '--json']), 0).plan()
      expect(hostPlan(plan, 'nas').warnings.map(({ code }) => code)).toContain('HOST.LOCKED')
      const { transcript } = expectExit(await site.run(['apply', '-y']), 8)
      expectWords(transcript, ['APPLY.LOCKED', 'nas', 'ann', 'desk'])
      expect(await mustExec(nas, 'cat /etc/converge/lock/owner; docker ps -aq')).toBe(owner)
    })
  })

  /** Each test leaves the server as it found it. */
  describe('on a host with a running server', () => {
    beforeAll(async () => {
      await onNas()
      expectExit(await site.run(['apply', '-y']), 0)
    })

    afterAll(clear)

    it('an image that cannot be pulled: the old server keeps running, its definition is restored', async () => {
      const before = await servers(nas)
      await onNas({ image: 'localhost:5000/no/such:1' })
      const outcome = expectExit(await site.run(['apply', '-y', '--json']), 5)
      expect(hostPlan(planOf(outcome.report()), 'nas').warnings.map(({ code }) => code)).toContain('IMAGE.ABSENT')
      const failed = expectFailure(outcome, 'nas', 'update')
      expect(failed.problem?.why).toContain('localhost:5000/no/such:1')
      expect(failed.undone).toBe('restored')
      expect(await servers(nas)).toEqual(before)
      await onNas()
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    })

    it('a change that the new server does not survive: the old one is back and answers', async () => {
      await onNas({ extra_args: ['--no-such-flag'] })
      const failed = expectFailure(expectExit(await site.run(['apply', '-y', '--json']), 5), 'nas', 'update')
      expect(failed.undone).toBe('restored')
      await until(
        () => chat(nas, 9990, 'coder').catch(() => ({ status: 0, body: '' })),
        ({ status }) => status === 200,
      )
      expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
      await onNas()
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    })
  })

  describe('on a box', () => {
    afterEach(removeFlagship)

    it('a full disk of a NAS: nothing half-written stays there, and the box is done', async () => {
      // Room for the lock, the log and one file more.
      await using _ = await smallDisk('16k')
      await site.write({ nas: machine({ coder: kindA() }, asRoot), box: machine({ flagship: kindB() }, asRoot) })
      const outcome = expectExit(await site.run(['apply', '-y', '--json']), 5)
      const failed = expectFailure(outcome, 'nas', 'install')
      expect(failed.problem).toMatchObject({ code: 'APPLY.FILE_NOT_WRITTEN', why: expect.stringMatching(/no space left/) })
      expect(failed.problem?.next.join()).toContain('df -h')
      expect(await mustExec(nas, 'find /etc/converge -type f ! -name audit.log')).toBe('')
      expect(outcome.report().hosts.find(({ host }) => host === 'box')).toMatchObject({
        smoke: [{ service: 'flagship', ok: true }],
      })
    })

    it('a Kind B that is still silent when its time is up', async () => {
      await mustExec(box, `echo '{"load_seconds": 60}' > /opt/kindb/knobs.json`)
      await site.write({ box: machine({ flagship: kindB({ ready_timeout: 4 }) }, asRoot) })
      const { transcript } = expectExit(await site.run(['apply', '-y']), 6)
      expectWords(transcript, [/box/, /flagship/, /health/, /load/])
      // It is loading, not dead: it is not stopped.
      expect(await mustExec(box, 'systemctl is-active flagship')).toBe('active')
    })

    it('a Kind B whose engine ends while it loads', async () => {
      await mustExec(box, `echo '{"load_seconds": 1, "load_exit": 3}' > /opt/kindb/knobs.json`)
      await site.write({ box: machine({ flagship: kindB({ ready_timeout: 600 }) }, asRoot) })
      const started = Date.now()
      const outcome = await site.run(['apply', '-y'])
      expectExit(outcome, outcome.exitCode === 5 ? 5 : 6)
      expectWords(outcome.transcript, [/box/, /flagship/, /colibri/])
      // The dead fail at once, not when their time to get ready is up.
      expect(Date.now() - started).toBeLessThan(90_000)
    })

    it('an interrupt: the current step is finished, the lock released, and the next run continues from there', async () => {
      await mustExec(box, `echo '{"load_seconds": 4}' > /opt/kindb/knobs.json`)
      await site.write({ box: machine({ flagship: kindB() }, asRoot) })
      await using terminal = await openTerminal(site, ['apply', '-y'], { columns: 120 })
      await until(
        () => mustExec(box, 'systemctl is-active flagship || :'),
        (text) => text === 'active',
      )
      await sleep(500)
      await terminal.type('C-c')
      expect(await terminal.exitCode()).toBe(130)
      expect(await mustExec(box, 'ls -d /etc/converge/lock 2>/dev/null || :')).toBe('')
      expect(await mustExec(box, 'systemctl is-active flagship')).toBe('active')
      expect(await terminal.unbroken()).toMatch(/interrupted/i)
      await mustExec(box, 'until curl -s http://127.0.0.1:9997/health; do sleep 0.2; done')
      expectExit(await site.run(['apply', '-y']), 0)
    })
  })

  async function smallDisk(size: string): Promise<AsyncDisposable> {
    await mustExec(nas, `mkdir -p /etc/converge && mount -t tmpfs -o size=${size} tmpfs /etc/converge`)
    return {
      [Symbol.asyncDispose]: async () => {
        await mustExec(nas, 'umount /etc/converge')
      },
    }
  }

  /** Past converge, so that each test begins with a NAS that has nothing, whatever became of the one before. */
  async function clear(): Promise<void> {
    await mustExec(nas, 'docker ps -aq | xargs -r docker rm -f; rm -rf /etc/converge; systemctl stop foreign; :')
  }

  async function removeFlagship(): Promise<void> {
    const unit = '/etc/systemd/system/flagship.service'
    await mustExec(
      box,
      `rm -f /opt/kindb/knobs.json; systemctl disable --now flagship; rm -rf ${unit} /etc/converge; systemctl daemon-reload`,
    )
  }
})

/** The result of one action that failed, with all that a person needs in it. */
function expectFailure(outcome: Outcome, host: string, kind: string): ActionResult {
  const actions = outcome.report().hosts.find((one) => one.host === host)?.actions ?? []
  const failed = actions.find(({ action, status }) => status === 'failed' && action.endsWith(`/${kind}`))
  if (failed?.problem === undefined) throw new Error(`no failed ${kind} on ${host}\n${outcome.transcript}`)
  expect(failed.problem.why).toContain(host)
  expect(failed.problem.why).toContain('coder')
  expect(failed.problem.next.length).toBeGreaterThan(0)
  return failed
}
