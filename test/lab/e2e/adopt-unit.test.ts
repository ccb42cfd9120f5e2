import { readFile, stat, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { chat, processesOf } from './model-server.ts'
import { asRoot, changesOn, expectExit, hostPlan, machine, openSite, refusalsOn, type Site, serviceKey } from './site.ts'

const unitFile = '/etc/systemd/system/big-model.service'
const dropIn = '/etc/systemd/system/big-model.service.d/override.conf'
const fronts = (host: LabHost) => processesOf(host, '^/usr/bin/python3 /opt/kindb/serve serve ')

const unit = `# the big one, do not restart during the day!
[Unit]
Description=the big model
After=network-online.target

[Service]
User=op
Environment=SRV_MODEL=/srv/models/flagship CTX=16384 "MALLOC_CONF=a b"
ExecStart=/usr/bin/python3 /opt/kindb/serve serve --host 0.0.0.0 --port 9997 \\
    --model-id flagship --ctx 16384
Restart=always

[Install]
WantedBy=multi-user.target
`
const override = `[Service]
Environment=RAM_GB=1
Environment=SRV_API_KEY=${serviceKey}
`

const healthy = 'for i in $(seq 60); do curl -fsS -o /dev/null http://127.0.0.1:9997/health && exit 0; sleep 0.5; done; exit 1'

/** As at a login, which the image lacks the PAM module for. */
const startUserManager = `uid=$(id -u op) && install -d -o op -g op -m 700 "/run/user/$uid" &&
mkdir -p /etc/systemd/system/user@.service.d &&
printf '[Service]\\nEnvironment=XDG_RUNTIME_DIR=/run/user/%%i\\n' >/etc/systemd/system/user@.service.d/runtime.conf &&
systemctl daemon-reload && systemctl start "user@$uid"`
const asUser = 'runuser -u op -- env XDG_RUNTIME_DIR=/run/user/$(id -u op)'

/** Units that people wrote, whose server is warm; each test goes on where the one before it ended. */
describe.skipIf(noLab)('units that people wrote', () => {
  let lab: Lab
  let site: Site
  let box: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'box', kind: 'box' }])
    box = lab.host('box')
    // The key is known to the server alone.
    site = await openSite(lab.sshConfigFile, {})
    await site.write({ box: machine({}, asRoot) })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const files = () => mustExec(box, `cat ${unitFile} ${dropIn}; stat -c '%Y %i %U %a' ${unitFile} ${dropIn}`)
  const keys = () => `${site.directory}/keys`
  const edit = async (from: string, to: string) => {
    const file = `${site.inventory}/hosts.yaml`
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
  }

  it('of the systemd of a user cannot be adopted, and are left alone', async () => {
    const own = unit.replace('User=op\n', '').replace('[Service]\n', override)
    await mustExec(box, 'install -d -o op -g op /home/op/.config/systemd/user')
    await mustExec(box, 'cat > /home/op/.config/systemd/user/big-model.service', { stdin: own })
    await mustExec(box, startUserManager)
    await mustExec(box, `${asUser} systemctl --user start big-model`)
    await mustExec(box, healthy)
    const before = await fronts(box)
    const inventory = await readFile(`${site.inventory}/hosts.yaml`, 'utf8')
    const { stdout } = expectExit(await site.run(['adopt', '--write']), 3)
    expect(stdout).toMatch(/✗ flagship {2}serve \(B\), the user unit big-model\.service/)
    expect(stdout).toContain('ADOPT.UNMANAGEABLE')
    expect(stdout).toContain('it is a unit of the systemd of user')
    expect(await readFile(`${site.inventory}/hosts.yaml`, 'utf8')).toBe(inventory)
    expect(await fronts(box)).toEqual(before)
    await mustExec(box, `systemctl stop "user@$(id -u op)" && rm -r /home/op/.config/systemd`)
  })

  describe('one of the system', () => {
    beforeAll(async () => {
      await mustExec(box, `mkdir -p ${dropIn.slice(0, dropIn.lastIndexOf('/'))}`)
      await mustExec(box, `cat > ${unitFile}`, { stdin: unit })
      await mustExec(box, `cat > ${dropIn}`, { stdin: override })
      await mustExec(box, 'systemctl daemon-reload; systemctl enable --now big-model')
      await mustExec(box, healthy)
      await chat(box, 9997, 'flagship')
    })

    it('is found, and cannot be described without its key', async () => {
      const { stdout } = expectExit(await site.run(['adopt', 'box']), 3)
      expect(stdout).toContain('the unit big-model.service')
      expect(stdout).toContain('CONVERGE_KEY_BOX_FLAGSHIP')
      expect(stdout).not.toContain(serviceKey)
    })

    it('is shown with the inventory that would describe it; nothing is written', async () => {
      const [before, inventory] = [await files(), await readFile(`${site.inventory}/hosts.yaml`, 'utf8')]
      const { stdout, stderr } = expectExit(await site.run(['adopt', 'box', '--key-file', keys()]), 0)
      expect(stdout).toMatch(/⌂ flagship {2}serve \(B\), the unit big-model.service, port 9997, flagship/)
      expect(stdout).toMatch(/^\+ +unit: big-model$/m)
      expect(stderr).toContain('--write')
      expect(stdout + stderr).not.toContain(serviceKey)
      expect(await readFile(`${site.inventory}/hosts.yaml`, 'utf8')).toBe(inventory)
      await expect(stat(keys())).rejects.toThrow('ENOENT')
      expect(await files()).toBe(before)
      expect(await mustExec(box, 'ls /etc/converge 2>&1 || :')).toContain('No such file')
    })

    it('is written into the inventory, and its key into a file of its own', async () => {
      const { stdout, stderr } = expectExit(await site.run(['adopt', 'box', '--key-file', keys(), '--write']), 0)
      expect(stderr).toMatch(/To take the servers over, without a restart: .*--limit box/)
      const file = `${keys()}/box-flagship.key`
      expect(await readFile(file, 'utf8')).toBe(`${serviceKey}\n`)
      expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
      const inventory = await readFile(`${site.inventory}/hosts.yaml`, 'utf8')
      expect(inventory).toContain(`file: ${file}`)
      expect(stdout + stderr + inventory).not.toContain(serviceKey)
    })

    it('is adopted: the plan has this action alone, and shows what would change some day', async () => {
      const plan = expectExit(await site.run(['plan', '--json', '--detailed-exitcode']), 2).plan()
      expect(refusalsOn(plan, 'box')).toEqual([])
      expect(changesOn(plan, 'box')).toEqual(['adopt flagship'])
      const [adopt] = hostPlan(plan, 'box').actions
      expect(adopt).toMatchObject({
        interrupts: false,
        starts: false,
        note: expect.stringContaining('Restart always → on-failure'),
      })
      expect(JSON.stringify(plan)).not.toContain(serviceKey)
    })

    it('keeps its bytes, and its server its process and its warmth', async () => {
      const [before, bytes] = [await fronts(box), await files()]
      const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
      expect(report.hosts[0]?.actions).toMatchObject([{ action: 'box/flagship/adopt', status: 'applied' }])
      expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'flagship', ok: true }])
      expect(report.second_plan).toMatchObject({ changes: 0 })
      expect(await fronts(box)).toEqual(before)
      expect(await files()).toBe(bytes)
      expect(expectExit(await site.run(['status']), 0).stdout).toMatch(/flagship .*running.* warm/)
    })

    it('is then in the desired state, without drift, and is not found again', async () => {
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
      expectExit(await site.run(['drift']), 0)
      expect(expectExit(await site.run(['adopt']), 0).stdout).toContain('Nothing runs here')
    })

    it('is refused a restart for another context, as every warm server', async () => {
      const [before, bytes] = [await fronts(box), await files()]
      await edit('ctx: 16384', 'ctx: 8192')
      const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
      expect(refusalsOn(plan, 'box')).toEqual(['WARM.RESTART flagship'])
      expect(await fronts(box)).toEqual(before)
      expect(await files()).toBe(bytes)
      await edit('ctx: 8192', 'ctx: 16384')
    })

    it('is theirs again once they edit it, and is adopted anew where the server stays what it is', async () => {
      await mustExec(box, `sed -i 's/the big model/the very big model/' ${unitFile}; systemctl daemon-reload`)
      expect(expectExit(await site.run(['drift']), 2).stdout).toContain('edited since it was adopted')
      const before = await fronts(box)
      expect(changesOn(expectExit(await site.run(['plan', '--json']), 0).plan(), 'box')).toEqual(['adopt flagship'])
      expectExit(await site.run(['apply', '-y']), 0)
      expect(await fronts(box)).toEqual(before)
      expectExit(await site.run(['drift']), 0)
    })

    it('is released: converge forgets it, and everything of it stays as it is', async () => {
      const [before, bytes] = [await fronts(box), await files()]
      expectExit(await site.run(['release', 'flagship', '-y']), 0)
      expect(await readFile(`${site.inventory}/hosts.yaml`, 'utf8')).toContain('          state: unmanaged\n')
      expect(await fronts(box)).toEqual(before)
      expect(await files()).toBe(bytes)
      expect(await mustExec(box, 'ls /etc/converge/applied')).toBe('')
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
      expectExit(await site.run(['drift']), 0)
      expect(expectExit(await site.run(['adopt']), 0).stdout).toContain('Nothing runs here')
      expect(expectExit(await site.run(['status']), 0).stdout).toContain('unmanaged')
    })

    it('is adopted again once the inventory wants it', async () => {
      const before = await fronts(box)
      await edit('          state: unmanaged\n', '')
      expectExit(await site.run(['apply', '-y']), 0)
      expect(await fronts(box)).toEqual(before)
    })

    it('is written by converge with an approval, and its drop-in stays', async () => {
      await edit('ctx: 16384', 'ctx: 8192')
      const allow = ['--allow', 'WARM.RESTART@flagship', '--reason', 'at night']
      expectExit(await site.run(['apply', '-y', ...allow]), 0)
      expect(await mustExec(box, `head -n 1 ${unitFile}`)).toBe('# converge: managed com.lab.flagship')
      expect(await mustExec(box, `cat ${dropIn}`)).toBe(override.trim())
    })

    it('is released from what converge wrote: the mark goes, every other line stays', async () => {
      const [before, lines] = [await fronts(box), await mustExec(box, `cat ${unitFile}`)]
      expectExit(await site.run(['release', 'flagship@box', '-y']), 0)
      expect(await fronts(box)).toEqual(before)
      expect(await mustExec(box, `cat ${unitFile}`)).toBe(lines.split('\n').slice(3).join('\n'))
      expect(await mustExec(box, `stat -c '%a %U' ${unitFile}; systemctl show -p NeedDaemonReload big-model`)).toBe(
        '644 root\nNeedDaemonReload=no',
      )
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    })
  })
})
