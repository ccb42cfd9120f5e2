import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Of } from '../../support/fake-hub/content.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginFetch, digestOn, filesIn, onlyModel, untilArrived } from './fetch-runs.ts'
import { commit, type LabHub, startLabHub } from './lab-hub.ts'
import { asRoot, expectExit, expectWords, hostPlan, kindA, machine, openSite, type Site } from './site.ts'

const mib = 1024 ** 2
const name = 'coder.gguf'
/** A copy goes in pieces of 64 MiB: one, and a part of the next. */
const content = { bytes: 96 * mib + 12_345, seed: 'fleet' }
/** Where it does not matter how many pieces there are. */
const small = 'writer.gguf'
const smallContent = { bytes: 3_000_000, seed: 'small' }
const folder = '/home/op/models'

/** A machine that has the model, and a BusyBox that is to get it. */
describe.skipIf(noLab)('converge fetch from another host', () => {
  let lab: Lab
  let site: Site
  let hub: LabHub
  let giver: LabHost
  let taker: LabHost

  beforeAll(async () => {
    lab = await startLab([
      { name: 'box', kind: 'box' },
      { name: 'busybox', kind: 'busybox' },
    ])
    site = await openSite(lab.sshConfigFile)
    giver = lab.host('box')
    taker = lab.host('busybox')
    hub = await startLabHub(lab, { [name]: content, [small]: smallContent })
    await site.write({ box: machine({ coder: fetched(name), writer: fetched(small) }, asRoot) })
    expectExit(await site.run(['fetch', '--follow']), 0)
  })

  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]()
    await site?.dispose()
    await lab?.stop()
  })

  const wanting = (path: string, file: string, source: object = {}) =>
    kindA({ model: { path: `${path}/${file}`, source: hub.source({ files: [file], ...source }) } })
  const fetched = (file: string) => wanting('/srv/models/fetched', file)
  const hosts = (file: string, source: object, place = folder) => ({
    box: machine({ coder: fetched(file) }, asRoot),
    busybox: machine({ coder: wanting(place, file, source) }, { ansible_become: false }),
  })

  it('the hub sends nothing of it, and the copy continues where converge was killed', async () => {
    await site.write(hosts(name, {}))
    const before = hub.sent(name)
    expect(before.distinct).toBe(content.bytes)
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(hostPlan(plan, 'busybox').fetches).toMatchObject([
      { state: 'due', from: [{ host: 'box', files: 1, bytes: content.bytes }] },
    ])

    await using first = beginFetch(site, '--follow', '--limit', 'busybox')
    await untilArrived(taker, folder, name, 70 * mib)
    await first.kill()
    // Until the host notices that the connection is gone, the copy of the killed run goes on.
    const stateNow = async () => onlyModel(await site.run(['fetch', 'status', '--json', '--limit', 'busybox'])).state
    await expect.poll(stateNow).not.toBe('fetching')
    const [part = ''] = Object.keys(await filesIn(taker, folder))
    expect(part).toMatch(/^coder\.gguf\.[0-9a-f]{8}\.p/)

    const run = await site.run(['fetch', '--follow', '--limit', 'busybox'])
    expectWords(expectExit(run, 0).transcript, [/✓ coder@busybox .*complete: one file/])
    expect(await filesIn(taker, folder)).toEqual({ [name]: content.bytes })
    expect(await digestOn(taker, `${folder}/${name}`)).toBe(await sha256Of(content))
    expect(hub.sent(name)).toEqual(before)
    const log = expectExit(await site.run(['fetch', 'log', '--limit', 'busybox']), 0).stdout
    const begun = [...log.matchAll(/takes \S+ from box, from byte (\d+) on/g)].map(([, at]) => Number(at))
    expect(begun[0]).toBe(0)
    expect(begun.at(-1)).toBeGreaterThanOrEqual(64 * mib)
  })

  it('a source that is of the fleet alone needs no hub, and has to be followed', async () => {
    const asked = hub.hub.askedAnywhere.length
    const place = '/home/op/alone'
    await site.write(hosts(small, { from: 'fleet' }, place))
    const refused = onlyModel(expectExit(await site.run(['fetch', '--detach', '--json', '--limit', 'busybox']), 3))
    expect(refused).toMatchObject({ state: 'refused', problem: { code: 'FETCH.NEEDS_CONTROLLER' } })
    const done = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json', '--limit', 'busybox']), 0))
    expect(done).toMatchObject({ state: 'complete', commit })
    expect(await filesIn(taker, place)).toEqual({ [small]: smallContent.bytes })
    expect(hub.hub.askedAnywhere.length).toBe(asked)
  })

  it('what another host has under a wrong content never gets the name; the hub is asked where it may be', async () => {
    // Its record says of a file with a wrong byte what was true of the right one.
    await mustExec(
      giver,
      `cd /srv/models/fetched && printf X | dd of=${small} bs=1 seek=2000000 conv=notrunc 2>/dev/null &&
        for record in /etc/converge/fetch/*/digests; do
          sed -i "s|^\\(sha256 [0-9a-f]*\\) .*/${small}$|\\1 $(stat -c '%s %i %Y %Z' ${small}) $PWD/${small}|" "$record"
        done`,
    )
    const place = '/home/op/wrong'
    await site.write(hosts(small, { from: 'fleet' }, place))
    const failed = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json', '--limit', 'busybox']), 5))
    expect(failed).toMatchObject({ state: 'failed', problem: { code: 'MODEL.DIGEST_MISMATCH' } })
    expect(await filesIn(taker, place)).toEqual({})

    const before = hub.sent(small)
    await site.write(hosts(small, {}, place))
    const done = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json', '--limit', 'busybox']), 0))
    expect(done).toMatchObject({ state: 'complete' })
    expect(await digestOn(taker, `${place}/${small}`)).toBe(await sha256Of(smallContent))
    expect(hub.sent(small).sent - before.sent).toBe(smallContent.bytes)
  })

  it('a missing source host: the hub is asked, or the report names the unreachable host', async () => {
    await mustExec(giver, 'mv /srv/models/fetched /srv/models/elsewhere')
    const place = '/home/op/gone'
    await site.write(hosts(small, { from: 'fleet' }, place))
    const refused = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json', '--limit', 'busybox']), 3))
    expect(refused).toMatchObject({ state: 'refused', problem: { code: 'FETCH.NO_NEIGHBOUR' } })
    await site.write(hosts(small, {}, place))
    const done = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json', '--limit', 'busybox']), 0))
    expect(done).toMatchObject({ state: 'complete' })
  })
})
