import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/model/facts.ts'
import { oneIn } from '../../support/series.ts'
import { type LabHost, mustExec } from '../host.ts'
import { labHost, noLab } from '../lab-hosts.ts'
import { ask, chat, processesOf } from './model-server.ts'
import {
  applied,
  changesOn,
  expectExit,
  hostPlan,
  kindA,
  kindB,
  machine,
  openSite,
  planOf,
  refusalsOn,
  type Site,
} from './site.ts'

/** Those with an engine, of the unusual NAS. */
const withEngine = ['old', 'elsewhere']
const two = (): readonly LabHost[] => withEngine.map(labHost)
/** Where a change is applied: how an engine is called is the same for an install, which all of them get. */
const changed = oneIn(withEngine.length, withEngine)

const bare = (services: Parameters<typeof machine>[0] = {}) => machine(services, { ansible_become: false })

describe.skipIf(noLab)('a BusyBox host', () => {
  let site: Site
  beforeAll(async () => {
    site = await openSite(labHost('busybox').sshConfigFile)
  })
  afterAll(() => site?.dispose())

  it('shows existing things, and reports missing ones', async () => {
    await site.write({ busybox: bare() })
    const facts = factsOf(expectExit(await site.run(['facts', '--json']), 0).stdout, 'busybox')
    expect(facts.platform).toMatchObject({ known: true, value: { os: 'linux', hostname: 'busybox' } })
    expect(facts.layout).toMatchObject({
      known: true,
      value: { user: 'op', home: '/home/op', root: '/home/op/.config/converge' },
    })
    expect(facts.memory).toMatchObject({ known: true, value: { totalBytes: expect.any(Number) } })
    expect(facts.listeners).toMatchObject({ known: true, value: expect.arrayContaining([expect.objectContaining({ port: 22 })]) })
    expect(facts.residents).toEqual({ known: true, value: [] })
    expect(facts.containers).toMatchObject({ known: true, value: { engine: null } })
    expect(facts.systemd).toMatchObject({ known: true, value: { version: null } })
    const { stdout } = expectExit(await site.run(['facts']), 0)
    expect(stdout).toMatch(/containers\s+no engine/)
    expect(stdout).toMatch(/systemd\s+not run by systemd/)
  })

  it('is planned like any other, and refuses what it has no supervisor for', async () => {
    await site.write({ busybox: bare({ coder: kindA(), flagship: kindB() }) })
    const outcome = expectExit(await site.run(['plan', '--json']), 3)
    expect(refusalsOn(outcome.plan(), 'busybox')).toEqual(
      expect.arrayContaining(['ENGINE.MISSING coder', 'MANAGER.UNSUPPORTED flagship']),
    )
    expect(changesOn(outcome.plan(), 'busybox')).toEqual([])
    expect(hostPlan(outcome.plan(), 'busybox').reachable).toBe(true)
  })
})

describe.skipIf(noLab)('a host behind a bastion', () => {
  let site: Site
  beforeAll(async () => {
    site = await openSite(labHost('inner').sshConfigFile)
  })
  afterAll(() => site?.dispose())

  it('is applied, proved and cleared through ProxyJump', async () => {
    await site.write({ inner: machine({ flagship: kindB() }) })
    const report = await applied(site)
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'flagship', ok: true }])
    await site.write({ inner: machine({ flagship: kindB({ state: 'absent' }) }) })
    expectExit(await site.run(['apply', '-y', '--allow', 'WARM.RESTART@flagship', '--reason', 'the test ends']), 0)
    expect(await processesOf(labHost('inner'), '^/usr/bin/python3 /opt/kindb/serve ')).toEqual([])
  })
})

describe.skipIf(noLab)('variants of the NAS', () => {
  let site: Site
  const everywhere = (more: object = {}) =>
    site.write({
      elsewhere: machine({ coder: kindA({ ...more }) }),
      // Without an engine.
      box: machine({ coder: kindA({ ...more }) }),
      // Without sudo: its account is in the engine's group.
      old: machine({ coder: kindA({ ...more }) }, { ansible_become: false }),
    })

  beforeAll(async () => {
    site = await openSite(labHost('old').sshConfigFile)
    await everywhere()
  })
  afterAll(() => site?.dispose())

  it('finds the engine in an unusual place and the compose of version 1', async () => {
    const { stdout } = expectExit(await site.run(['facts', '--json']), 0)
    expect(factsOf(stdout, 'elsewhere').containers).toMatchObject({
      known: true,
      value: { engine: { path: '/opt/container/bin/docker', compose: { known: true } } },
    })
    expect(factsOf(stdout, 'old').containers).toMatchObject({
      known: true,
      value: {
        engine: {
          compose: {
            known: true,
            value: { argv: [expect.stringMatching(/docker-compose$/)], version: expect.stringMatching(/^1\./) },
          },
        },
      },
    })
    expect(factsOf(stdout, 'box').containers).toMatchObject({ known: true, value: { engine: null } })
  })

  it('applies to those that have an engine and refuses the one that has none', async () => {
    const report = expectExit(await site.run(['apply', '-y', '--json']), 3).report()
    const plan = planOf(report)
    expect(refusalsOn(plan, 'box')).toContain('ENGINE.MISSING coder')
    expect(changesOn(plan, 'box')).toEqual([])
    for (const host of ['elsewhere', 'old']) expect(changesOn(plan, host)).toEqual(['install coder', 'start coder'])
    const smoke = report.hosts.flatMap((host) => host.smoke.map(({ ok }) => [host.host, ok]))
    expect(smoke).toEqual(
      expect.arrayContaining([
        ['elsewhere', true],
        ['old', true],
      ]),
    )
    for (const host of two()) expect(await chat(host, 9990, 'coder')).toMatchObject({ status: 200 })
    expect(await mustExec(labHost('old'), "stat -c '%a %U' /home/op/.config/converge/keys/coder.key")).toBe('600 op')
  })

  it('applies a change, and is then in the desired state', async () => {
    await everywhere({ ctx_size: 1024 })
    await applied(site, '--limit', changed.join())
    for (const host of changed.map(labHost)) {
      expect(await ask(host, 9990, '/props')).toMatchObject({
        status: 200,
        body: { default_generation_settings: { n_ctx: 1024 } },
      })
    }
  })

  it('removes it again', async () => {
    await everywhere({ state: 'absent' })
    await applied(site, '--limit', 'elsewhere,old')
    for (const host of two()) expect(await processesOf(host, '^[^ ]*llama-server ')).toEqual([])
    expect(await mustExec(labHost('old'), 'docker ps -aq')).toBe('')
  })
})

function factsOf(stdout: string, host: string): HostFacts {
  const document: { readonly hosts: readonly { readonly host: string; readonly facts?: HostFacts }[] } = JSON.parse(stdout)
  const facts = document.hosts.find((one) => one.host === host)?.facts
  if (facts === undefined) throw new Error(`no facts of ${host}: ${stdout}`)
  return facts
}
