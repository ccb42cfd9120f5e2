import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Of } from '../../support/fake-hub/content.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginFetch, digestOn, filesIn, jobProcess, jobsOn, onlyModel, untilArrived } from './fetch-runs.ts'
import { type LabHub, startLabHub } from './lab-hub.ts'
import { asRoot, expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const mib = 1024 ** 2

describe.skipIf(noLab)('converge fetch where little works', () => {
  let lab: Lab
  let site: Site
  beforeAll(async () => {
    lab = await startLab([
      { name: 'metal', kind: 'metal' },
      { name: 'busybox', kind: 'busybox' },
    ])
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('BusyBox: its wget fetches, and the rest of a killed job is continued', async () => {
    const host = lab.host('busybox')
    const content = { bytes: 3_000_000, seed: 'busybox' }
    await using hub = await startLabHub(lab, { 'tiny.gguf': content })
    hub.hub.behaveFor('cdn', { slow: 300_000 })
    const folder = '/home/op/models'
    await site.write({ busybox: machine(wanted(hub, `${folder}/tiny.gguf`), { ansible_become: false }) })
    expect(await mustExec(host, 'command -v curl || command -v wget')).toBe('/bin/wget')
    await using first = beginFetch(site, '--follow')
    await untilArrived(host, folder, 'tiny.gguf', 600_000)
    await first.kill()
    const job = await jobProcess(host, '/home/op/.config/converge')
    await mustExec(host, `kill -9 ${job}`)
    await untilArrived(host, folder, 'tiny.gguf', 900_000)
    const done = await site.run(['fetch', '--follow', '--json'])
    expect(onlyModel(expectExit(done, 0))).toMatchObject({ state: 'complete', files: [{ state: 'complete' }] })
    expect(await filesIn(host, folder)).toEqual({ 'tiny.gguf': content.bytes })
    expect(await digestOn(host, `${folder}/tiny.gguf`)).toBe(await sha256Of(content))
    expect(hub.sent('tiny.gguf').distinct).toBe(content.bytes)
  })

  it('a model that does not fit is refused before anything is fetched', async () => {
    const host = lab.host('metal')
    const folder = await smallDisk(host, '/srv/narrow', 40)
    await using hub = await startLabHub(lab, { 'large.gguf': { bytes: 48 * mib, seed: 'large' } })
    await site.write({ metal: machine(wanted(hub, `${folder}/large.gguf`), asRoot) })
    const refused = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json']), 3))
    expect(refused).toMatchObject({ state: 'refused', problem: { code: 'MODEL.NO_SPACE' } })
    expectWords(refused.problem?.why ?? '', ['On metal, 48 MiB of', '40 MiB are free on /srv/narrow. Nothing was fetched.'])
    expect(await filesIn(host, folder)).toEqual({})
    expect(hub.sent('large.gguf')).toEqual({ sent: 0, distinct: 0 })
  })

  it('a disk that others fill meanwhile is reported; received bytes are kept, and not fetched again', async () => {
    const host = lab.host('metal')
    const folder = await smallDisk(host, '/srv/filled', 40)
    const content = { bytes: 30 * mib, seed: 'filled' }
    await using hub = await startLabHub(lab, { 'fits.gguf': content })
    hub.hub.behaveFor('cdn', { slow: 4 * mib })
    await site.write({ metal: machine(wanted(hub, `${folder}/fits.gguf`), asRoot) })
    await using run = beginFetch(site, '--follow', '--json')
    await untilArrived(host, folder, 'fits.gguf', 10 * mib)
    await host.exec(`dd if=/dev/zero of=${folder}/others bs=65536`)
    expectWords(await run.ended(), [/"state": ?"failed"/, /"MODEL\.NO_SPACE"/, /^exit 5$/m])
    const failed = onlyModel(expectExit(await site.run(['fetch', 'status', '--json']), 5))
    expect(failed).toMatchObject({ state: 'failed', files: [{ state: 'partial' }], problem: { code: 'MODEL.NO_SPACE' } })
    const kept = failed.files[0]?.have ?? 0
    expect(kept).toBeGreaterThanOrEqual(10 * mib)
    expect(await filesIn(host, folder)).not.toHaveProperty('fits.gguf')
    expect(await jobsOn(host)).toBe('')
    const full = onlyModel(expectExit(await site.run(['fetch', '--json']), 3))
    expect(full).toMatchObject({ state: 'refused', problem: { code: 'MODEL.NO_SPACE' } })

    await mustExec(host, `rm ${folder}/others`)
    hub.hub.behaveFor('cdn', {})
    const before = hub.sent('fits.gguf')
    expect(onlyModel(expectExit(await site.run(['fetch', '--follow', '--json']), 0))).toMatchObject({ state: 'complete' })
    const after = hub.sent('fits.gguf')
    expect(after.distinct).toBe(content.bytes)
    expect(after.sent - before.sent).toBe(content.bytes - kept)
    expect(await filesIn(host, folder)).toEqual({ 'fits.gguf': content.bytes })
    expect(await digestOn(host, `${folder}/fits.gguf`)).toBe(await sha256Of(content))
  })

  it('an account that may not write there is refused, and nothing is started', async () => {
    const host = lab.host('metal')
    await using hub = await startLabHub(lab, { 'tiny.gguf': { bytes: 100_000, seed: 'root' } })
    await mustExec(host, 'mkdir -p /srv/models/of-root')
    const before = await mustExec(host, 'find /srv/models -printf "%p %u %m %T@\\n" | sort')
    await site.write({ metal: machine(wanted(hub, '/srv/models/of-root/tiny.gguf'), { ansible_become: false }) })
    const failed = onlyModel(expectExit(await site.run(['fetch', '--follow', '--json']), 5))
    expect(failed).toMatchObject({ state: 'failed', problem: { code: 'FETCH.UNWRITABLE' } })
    expectWords(failed.problem?.why ?? '', ['On metal, /srv/models/of-root/tiny.gguf: '])
    expect(await mustExec(host, 'find /srv/models -printf "%p %u %m %T@\\n" | sort')).toBe(before)
    expect(await jobsOn(host)).toBe('')
    expect(hub.sent('tiny.gguf').sent).toBe(0)
  })
})

function wanted(hub: LabHub, path: string) {
  return { coder: kindA({ model: { path, source: hub.source() } }) }
}

/** A file system of its own, of so many MiB, in memory. */
async function smallDisk(host: LabHost, folder: string, sizeMib: number): Promise<string> {
  await mustExec(host, `mkdir ${folder} && mount -t tmpfs -o size=${sizeMib}m tmpfs ${folder}`)
  return folder
}
