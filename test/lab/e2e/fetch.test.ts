import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Of } from '../../support/fake-hub/content.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginFetch, digestOn, filesIn, jobProcess, jobsOn, onlyModel, untilArrived } from './fetch-runs.ts'
import { commit, type LabHub, repo, startLabHub, tinyShards } from './lab-hub.ts'
import { chat, until } from './model-server.ts'
import { asRoot, changesOn, expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const folder = '/srv/models/fetched'

describe.skipIf(noLab)('converge fetch on a machine with systemd', () => {
  let lab: Lab
  let site: Site
  let metal: LabHost

  const status = async () => onlyModel(expectExit(await site.run(['fetch', 'status', '--json']), 0))

  beforeAll(async () => {
    lab = await startLab([{ name: 'metal', kind: 'metal', reboots: true }])
    metal = lab.host('metal')
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('three shards arrive although converge, the job and the host are cut off in between, each byte once', async () => {
    const shards = await tinyShards(lab)
    await using hub = await startLabHub(lab, shards)
    const [first = '', second = '', third = ''] = Object.keys(shards)
    const bytesPerS = 5000
    hub.hub.behaveFor('cdn', { slow: bytesPerS })
    await site.write(want(hub, `${folder}/${first}`))

    // The following process is killed; the job continues.
    await using watched = beginFetch(site, '--follow')
    await untilArrived(metal, folder, first, 5000)
    await watched.kill()
    const after = await status()
    expect(after).toMatchObject({ state: 'fetching', commit, repo, files: [{ state: 'partial' }, { have: 0 }, { have: 0 }] })
    expect(await untilArrived(metal, folder, first, 25_000)).not.toHaveProperty(first)

    // The job is killed, and what it started goes on for a while.
    const job = await jobProcess(metal)
    await mustExec(metal, `kill -9 ${job}`)
    expect(await status()).toMatchObject({ state: 'due', files: [{ state: 'partial' }, { have: 0 }, { have: 0 }] })

    // It is followed, and its host is restarted.
    await using again = beginFetch(site, '--follow', '--json')
    const there = await untilArrived(metal, folder, second, 4000)
    expect(await jobProcess(metal)).not.toBe(job)
    expect(there).toMatchObject({ [first]: shards[first]?.length })
    expect(there).not.toHaveProperty(second)
    await lab.reboot('metal')
    expectWords(await again.ended(), [/^exit 0$/m])

    expect(onlyModel(expectExit(await site.run(['fetch', '--json']), 0))).toMatchObject({
      state: 'complete',
      files: [{ state: 'complete' }, { state: 'complete' }, { state: 'complete' }],
    })
    const sizes = Object.entries(shards).map(([name, { length }]) => [name, length] as const)
    expect(await filesIn(metal, folder)).toEqual(Object.fromEntries(sizes))
    for (const [name, content] of Object.entries(shards)) {
      // oxlint-disable-next-line no-await-in-loop -- one host does it
      expect(await digestOn(metal, `${folder}/${name}`)).toBe(await sha256Of(content))
    }
    const sent = [first, second, third].map((name) => hub.sent(name))
    expect(sent.map(({ distinct }) => distinct)).toEqual(sizes.map(([, length]) => length))
    // Of what was on its way when the job was killed and the host went down at most a second each is loaded again.
    const twice = sent.reduce((sum, one) => sum + one.sent - one.distinct, 0)
    expect(twice).toBeLessThanOrEqual(2 * bytesPerS)
    expect(await jobsOn(metal)).toBe('')
  })

  it('a real server starts on what was fetched, and proves to work', async () => {
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'coder', ok: true }])
    expect(await chat(metal, 9990, 'coder')).toMatchObject({ status: 200 })
    expect(changesOn(expectExit(await site.run(['plan', '--json', '--detailed-exitcode']), 0).plan(), 'metal')).toEqual([])
  })

  it('two controllers fetch one model at once by one job', async () => {
    const bytes = 3_000_000
    await using hub = await startLabHub(lab, { 'both.gguf': { bytes, seed: 'both' } })
    hub.hub.behaveFor('cdn', { slow: 500_000 })
    await using other = await openSite(lab.sshConfigFile)
    const path = '/srv/models/both/both.gguf'
    await Promise.all([site, other].map((one) => one.write(want(hub, path))))
    await using one = beginFetch(site, '--follow', '--json')
    await using two = beginFetch(other, '--follow', '--json')
    for (const said of await Promise.all([one.ended(), two.ended()])) expectWords(said, [/"state": ?"complete"/, /^exit 0$/m])
    expect(hub.sent('both.gguf')).toEqual({ sent: bytes, distinct: bytes })
    expect(await digestOn(metal, path)).toBe(await sha256Of({ bytes, seed: 'both' }))
    expect(await mustExec(metal, `grep -l ${path} /etc/converge/fetch/*/files | xargs dirname`)).not.toContain('\n')
    expect(await mustExec(metal, `grep -c ' begins$' "$(grep -l ${path} /etc/converge/fetch/*/files | xargs dirname)/log"`)).toBe(
      '1',
    )
  })

  it('fetch stop only ends the job; status and log report it, and the job continues where it was', async () => {
    const bytes = 3_000_000
    await using hub = await startLabHub(lab, { 'stopped.gguf': { bytes, seed: 'stopped' } })
    hub.hub.behaveFor('cdn', { slow: 100_000 })
    const place = '/srv/models/stopped'
    await site.write(want(hub, `${place}/stopped.gguf`))
    await mustExec(metal, 'cp /usr/bin/sleep /opt/curl && cp /usr/bin/sleep /opt/job')
    await mustExec(metal, 'setsid runuser -u pw -- /opt/curl 600 >/dev/null 2>&1 & setsid /opt/job 600 >/dev/null 2>&1 &')
    const bystanders = () => mustExec(metal, `pgrep -fx -- '(runuser -u pw -- )?/opt/(curl|job) 600' | sort -n`)
    const before = await until(bystanders, (seen) => seen.split('\n').length === 3)

    const begun = onlyModel(expectExit(await site.run(['fetch', '--detach', '--json']), 0))
    expect(begun).toMatchObject({ state: 'fetching', services: ['coder'], host: 'metal', revision: commit, commit })
    await untilArrived(metal, place, 'stopped.gguf', 300_000)
    expectWords(expectExit(await site.run(['fetch', 'status']), 0).stdout, [
      /↓ coder@metal {2}org\/coder at c{12} {2}fetching: 0 of one file complete, /,
    ])
    const job = await jobProcess(metal)
    expect(await jobsOn(metal)).not.toBe('')
    const stopped = onlyModel(expectExit(await site.run(['fetch', 'stop', '--json']), 0))
    expect(stopped).toMatchObject({ state: 'stopped', files: [{ state: 'partial' }] })
    expect(stopped.files[0]?.have).toBeGreaterThanOrEqual(300_000)
    expect(await jobsOn(metal)).toBe('')
    expect(job).not.toBe('')
    expect(await bystanders()).toBe(before)
    expect(await filesIn(metal, place)).not.toHaveProperty('stopped.gguf')

    expect(onlyModel(expectExit(await site.run(['fetch', 'status', '--json']), 0))).toMatchObject({ state: 'stopped' })
    expectWords(expectExit(await site.run(['fetch', 'log']), 0).stdout, [
      /^coder@metal$/m,
      /Z fetches \/srv\/models\/stopped\/stopped\.gguf$/m,
      /Z stopped; what has arrived is kept$/m,
    ])
    const log: unknown = JSON.parse(expectExit(await site.run(['fetch', 'log', '--json']), 0).stdout)
    expect(log).toMatchObject({
      schema: 'converge/fetch-log/v1',
      unreachable: [],
      logs: [{ host: 'metal', services: ['coder'], log: expect.stringContaining('stopped; what has arrived is kept') }],
    })
    // None is at work.
    expectExit(await site.run(['fetch', 'stop']), 0)

    const sentBefore = hub.sent('stopped.gguf').sent
    hub.hub.behaveFor('cdn', {})
    expectWords(expectExit(await site.run(['fetch', '--follow']), 0).stdout, [/✓ coder@metal .*complete: one file/])
    const { sent, distinct } = hub.sent('stopped.gguf')
    expect(distinct).toBe(bytes)
    expect(sent - sentBefore).toBe(bytes - (stopped.files[0]?.have ?? 0))
    expect(await digestOn(metal, `${place}/stopped.gguf`)).toBe(await sha256Of({ bytes, seed: 'stopped' }))
    // One may end the other first.
    await mustExec(metal, `kill ${before.replaceAll('\n', ' ')} || :`)
  })
})

/** A server by systemd whose model comes from the hub. */
function want(hub: LabHub, path: string) {
  const model = { path, source: hub.source() }
  return { metal: machine({ coder: kindA({ manager: 'systemd', executable: '/usr/bin/llama-server', model }) }, asRoot) }
}
