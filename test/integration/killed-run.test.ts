import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import type { UnfinishedRun } from '../../src/model/unfinished-run.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

// Side by side, for what they do most is wait; each has a box and a port of its own.

/** Where the start of the server is held up: after it, before its answer, or before it. */
type Held = 'before' | 'after'

/** The box's systemctl stops at a start until the whole step is killed. */
async function hold(site: LinuxSite, when: Held): Promise<void> {
  const tool = site.box.path('/usr/bin/systemctl')
  const real = site.box.path('/usr/lib/real/systemctl')
  const file = site.box.path('/run/hold')
  const wait = `if [ -e '${file}' ]; then echo $$ >'${file}.new'; mv '${file}.new' '${file}ing'; rm '${file}'; sleep 600; fi`
  await mkdir(site.box.path('/usr/lib/real'), { recursive: true })
  await rename(tool, real)
  await writeFile(
    tool,
    `#!/bin/sh
case $* in 'enable --now '*) ;; *) exec '${real}' "$@" ;; esac
${when === 'before' ? wait : ''}
'${real}' "$@" || exit
${when === 'after' ? wait : ''}
`,
    { mode: 0o755 },
  )
  await mkdir(site.box.path('/run'), { recursive: true })
  await writeFile(file, '')
}

/** Kills an apply without notice; its current step on the box continues. */
async function killedAlone(site: LinuxSite, expect: ExpectStatic, meanwhile = async () => {}): Promise<void> {
  const run = site.begin('apply', '-y')
  const holding = site.box.path('/run/holding')
  await expect.poll(() => existsSync(holding)).toBe(true)
  await meanwhile()
  run.kill('SIGKILL')
  await run.ended
}

/** The same with the step that it has under way. */
async function killed(site: LinuxSite, expect: ExpectStatic, meanwhile = async () => {}): Promise<void> {
  await killedAlone(site, expect, meanwhile)
  const pid = readFileSync(site.box.path('/run/holding'), 'utf8').trim()
  const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[4]
  process.kill(-Number(group), 'SIGKILL')
}

async function inDoubt(site: LinuxSite): Promise<UnfinishedRun | null> {
  const { stdout } = await site.converge('facts', '--json')
  return JSON.parse(stdout).hosts[0].facts.journal.value
}

/** A dead lock says the same as the log; without it the log alone has to. */
const forgetLock = (site: LinuxSite) => rm(site.box.path('/etc/converge/lock'), { recursive: true })

const startStep = { service: 'flagship', action: 'box/flagship/start', step: 'start flagship.service, now and at boot' }

describe.concurrent('a run that is killed in the middle of a step', { timeout: 180_000 }, () => {
  it('is reported, and can be resumed: the rest is done and proved', async ({ expect }) => {
    await using site = await openLinuxBox(13_560)
    await site.inventory({ flagship: site.flagship() })
    await hold(site, 'before')
    await killed(site, expect)
    await forgetLock(site)
    expect(await inDoubt(site)).toMatchObject({ services: ['flagship'], inDoubt: [startStep] })
    const plan = await site.converge('plan', '--detailed-exitcode')
    expect(plan.code, plan.output).toBe(2)
    for (const words of ['HOST.IN_DOUBT', startStep.step, '> start flagship']) expect(plan.stdout).toContain(words)

    expect((await site.converge('status', '--limit', '@failed')).stdout).toMatch(/^box +flagship/m)

    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })
    const other = await site.converge('resume', '-y')
    expect(other.code, other.output).toBe(7)
    expect(other.output).toContain('RESUME.OTHER_INPUT')
    await site.inventory({ flagship: site.flagship() })

    const resumed = await site.converge('resume', '-y', '--json')
    expect(resumed.code, resumed.output).toBe(0)
    const report = JSON.parse(resumed.stdout)
    expect(report.resumed).toMatchObject({ in_doubt: [{ host: 'box', ...startStep, found: 'not-done' }], left: [] })
    const did = { actions: [{ action: 'box/flagship/start', status: 'applied' }], smoke: [{ service: 'flagship', ok: true }] }
    expect(report.hosts).toMatchObject([did])
    expect(await inDoubt(site)).toBeNull()
    const again = await site.converge('resume', '-y')
    expect(again.code, again.output).toBe(0)
    expect(again.stdout).toContain('Nothing to resume: run')
    const { output } = await site.converge('status', '--limit', '@failed')
    expect(output).toContain('USAGE.NO_HOSTS')
  })

  it('leaves a lock that the next run of the same machine takes over at once, and no other', async ({ expect }) => {
    await using site = await openLinuxBox(13_562)
    await site.inventory({ flagship: site.flagship() })
    await hold(site, 'before')
    await killedAlone(site, expect)
    const elsewhere = await site.from('elsewhere').converge('apply', '-y')
    expect(elsewhere.code, elsewhere.output).toBe(8)
    expect(elsewhere.output).toContain('APPLY.LOCKED')
    const plan = await site.converge('plan')
    expect(plan.stdout).toMatch(/HOST\.LOCK_DEAD.*died on box: its process is gone/s)

    const began = Date.now()
    const applied = await site.converge('apply', '-y')
    expect(applied.code, applied.output).toBe(0)
    expect(Date.now() - began).toBeLessThan(45_000)
    expect(applied.output).toMatch(/took over a dead lock: the process of .* is gone, and none of its commands run on the host/)
    expect(await inDoubt(site)).toBeNull()
  })

  it('is proved by the next apply also where all of it was done', async ({ expect }) => {
    await using site = await openLinuxBox(13_561)
    await site.inventory({ flagship: site.flagship() })
    await hold(site, 'after')
    await killed(site, expect, async () => {
      const second = await site.converge('apply', '-y')
      expect(second.code, second.output).toBe(8)
      expect(second.output).toContain('CONTROLLER.LOCKED')
      expect((await site.converge('plan')).stdout).not.toContain('HOST.IN_DOUBT')
    })
    await forgetLock(site)
    const plan = await site.converge('plan', '--detailed-exitcode')
    expect(plan.code, plan.output).toBe(2)
    for (const words of ['HOST.IN_DOUBT', '~ update flagship', 'the host has no up-to-date record of it'])
      expect(plan.stdout).toContain(words)

    const { main } = site.box.systemd.service('flagship.service')
    const applied = await site.converge('apply', '-y', '--json')
    expect(applied.code, applied.output).toBe(0)
    expect(JSON.parse(applied.stdout).hosts).toMatchObject([
      { actions: [{ action: 'box/flagship/update', status: 'applied' }], smoke: [{ service: 'flagship', ok: true }] },
    ])
    expect(site.box.systemd.service('flagship.service').main).toEqual(main)
    expect(JSON.parse(await readFile(site.box.path('/etc/converge/applied/flagship.json'), 'utf8')).service).toBe('flagship')
    expect(await inDoubt(site)).toBeNull()
    const log = await readFile(join(site.box.path('/etc/converge'), 'audit.log'), 'utf8')
    const recorded = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event)
    expect(recorded.slice(-4)).toEqual(['step-intended', 'step-ended', 'service-settled', 'run-ended'])
  })
})
