import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DriftDocument } from '../../../src/model/drift.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { programOnHost, putProgram } from './own-program.ts'
import { kindB, machine, openSite, type Site, serviceKey } from './site.ts'

/** What is found: nothing was applied yet. It ends with 2, and only where the key is known, too; without it with 4. */
const asked = 'drift -i fleet --fail-on pending'
const mine = 'MAILTO=""\n# mine, 100%\n17 3 * * * true\n'

const folderOf = (home: string, name: string) => `${home}/.local/state/converge/schedule/${name}`

/** A box that looks at itself, at intervals: by cron for `op`, by a timer of the system for root. */
describe('a schedule', () => {
  let lab: Lab
  let site: Site
  let box: LabHost

  const converge = (args: string, user: string) =>
    mustExec(box, `cd ~${user} && HOME=~${user} ${programOnHost} ${args} 2>&1`, { user })

  async function giveKey(folder: string, user: string): Promise<void> {
    await mustExec(box, `umask 077 && echo "LAB_KEY='${serviceKey}'" >${folder}/environment`, { user })
  }

  async function reportIn(folder: string): Promise<DriftDocument> {
    const file = `${folder}/last.json`
    await expect.poll(async () => (await box.exec(`test -s ${file}`)).exitCode, { timeout: 150_000, interval: 1000 }).toBe(0)
    return JSON.parse(await mustExec(box, `cat ${file}`))
  }

  beforeAll(async () => {
    lab = await startLab([{ name: 'box', kind: 'box' }])
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await site.write({ box: machine({ flagship: kindB() }, { ansible_connection: 'local' }) })
    await putProgram(box)
    for (const folder of ['/home/op/fleet', '/root/fleet']) await box.copyIn(site.inventory, folder)
    await mustExec(box, 'chmod -R a+rX /home/op/fleet')
    await mustExec(box, `printf '%s' '${mine}' | crontab -`, { user: 'op' })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('under a real cron and a real timer leaves a report, and goes as it came', async () => {
    const byCron = folderOf('/home/op', 'by-cron')
    const byTimer = folderOf('/root', 'by-timer')
    await converge(`schedule cron --every 5m --name by-cron --install -- ${asked}`, 'op')
    await giveKey(byCron, 'op')
    // Five minutes are the least; a test has one.
    await mustExec(box, `crontab -l | sed 's|^[*]/5 |* |' | crontab -`, { user: 'op' })
    // What no calendar can say begins a minute after it was installed.
    await converge(`schedule systemd --every 7m --name by-timer --install -- ${asked}`, 'root')
    await giveKey(byTimer, 'root')

    for (const { hosts } of await Promise.all([reportIn(byCron), reportIn(byTimer)])) {
      expect(hosts).toMatchObject([{ host: 'box', compared: true, not_compared: [] }])
      expect(hosts[0]?.findings.map((one) => one.class)).toEqual(['pending', 'pending', 'pending'])
    }
    await expect.poll(() => mustExec(box, `cat ${byCron}/log`)).toMatch(/ by-cron: ended with 2 after \d+ s$/)
    const unit = 'converge-schedule-by-timer.service'
    const ended = async () =>
      (await mustExec(box, `systemctl show -p ActiveState -p Result -p ExecMainStatus ${unit}`)).split('\n')
    await expect.poll(ended).toEqual(expect.arrayContaining(['ActiveState=inactive', 'Result=success', 'ExecMainStatus=2']))
    expect(await mustExec(box, `journalctl -u ${unit} -o cat`)).toContain('Drift: 0 drifted')
    for (const user of ['op', 'root']) expect(await converge('history', user)).toMatch(/drift .*\n.*pending/)
    expect(await mustExec(box, `cat ${byCron}/run; cat /etc/systemd/system/converge-schedule-*`)).not.toContain(serviceKey)

    await converge('schedule cron --remove --name by-cron', 'op')
    await converge('schedule systemd --remove --name by-timer', 'root')
    expect(await mustExec(box, 'crontab -l; echo .', { user: 'op' })).toBe(`${mine}.`)
    expect(await mustExec(box, 'ls /etc/systemd/system; systemctl list-timers --all')).not.toContain('converge-schedule')
  })
})
