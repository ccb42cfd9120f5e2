import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recorder, unlikeShown } from '../../support/sent-scripts.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { actionsOn, expectExit, hostPlan, kindA, kindB, machine, openSite, type Site, serviceKey } from './site.ts'

const folder = '/var/log/sent'

/** What a plan shows, and what its host then gets, recorded by the host itself. */
describe.skipIf(noLab)('the steps of a plan', () => {
  let lab: Lab
  let site: Site

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    site = await openSite(lab.sshConfigFile)
    await Promise.all(lab.hosts.map(record))
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const warm = ['--allow', 'WARM.RESTART@flagship@box', '--reason', 'a test']
  const changed = { coder: kindA({ ctx_size: 1024 }), flagship: kindB({ ctx: 8192 }) }
  const stopped = { coder: { ...changed.coder, state: 'stopped' }, flagship: { ...changed.flagship, state: 'stopped' } }
  const absent = { coder: kindA({ state: 'absent' }), flagship: kindB({ state: 'absent' }) }

  it.each([
    { what: 'an install', coder: kindA(), flagship: kindB(), kinds: ['install', 'start'], allow: [] },
    { what: 'a change', ...changed, kinds: ['update', 'restart'], allow: warm },
    { what: 'a stop', ...stopped, kinds: ['stop'], allow: warm },
    { what: 'a removal', ...absent, kinds: ['remove'], allow: [] },
  ])('of $what are those that are sent, and no others', async ({ coder, flagship, kinds, allow }) => {
    await site.write({ nas: machine({ coder }), box: machine({ flagship }) })
    const plan = expectExit(await site.run(['plan', '--json', ...allow]), 0).plan()
    expect(JSON.stringify(plan)).not.toContain(serviceKey)
    await Promise.all(lab.hosts.map((host) => mustExec(host, `rm -f ${folder}/*`)))
    expectExit(await site.run(['apply', '-y', ...allow]), 0)
    for (const host of lab.hosts) {
      const planned = actionsOn(plan, host.name)
      expect(kinds).toEqual(expect.arrayContaining(planned.map(({ kind }) => kind)))
      expect(planned.length).toBeGreaterThan(0)
      expect(unlikeShown(hostPlan(plan, host.name), await recordedOn(host), [serviceKey])).toEqual([])
    }
  })
})

/** From now on, the host's own sshd hands every command to the recorder. */
async function record(host: LabHost): Promise<void> {
  const command = `/usr/local/sbin/record ${folder} sh -c "$SSH_ORIGINAL_COMMAND"`
  await mustExec(
    host,
    `mkdir -m 1777 ${folder} && cat >/usr/local/sbin/record <<'end'\n${recorder}end\nchmod 755 /usr/local/sbin/record`,
  )
  await mustExec(
    host,
    `cat >/etc/ssh/sshd_config.d/00-record.conf <<'end'\nForceCommand ${command}\nend\nsshd -t && systemctl restart ssh`,
  )
}

async function recordedOn(host: LabHost): Promise<readonly string[]> {
  const said = await mustExec(host, `cd ${folder} && for name in *; do cat "$name"; printf '\\0'; done`)
  return said.split('\0').slice(0, -1)
}
