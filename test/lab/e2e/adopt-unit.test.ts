import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { chat, processesOf } from './model-server.ts'
import { changesOn, expectExit, hostPlan, kindB, machine, openSite, refusalsOn, type Site, serviceKey } from './site.ts'

const unitFile = '/etc/systemd/system/big-model.service'
const dropIn = '/etc/systemd/system/big-model.service.d/override.conf'
const fronts = (host: LabHost) => processesOf(host, '^/usr/bin/python3 /opt/kindb/serve serve ')

const unit = `# the big one, do not restart during the day!
[Unit]
Description=the big model
After=network-online.target

[Service]
User=op
Environment=SRV_MODEL=/srv/models/flagship
ExecStart=/usr/bin/python3 /opt/kindb/serve serve --host 0.0.0.0 --port 9997 \\
    --model-id flagship --ctx 16384
Restart=always

[Install]
WantedBy=multi-user.target
`
const override = `[Service]
Environment=CTX=16384 RAM_GB=1
Environment=SRV_API_KEY=${serviceKey}
`

/** A unit that a person wrote, whose server is warm; each test goes on where the one before it ended. */
describe.skipIf(noLab)('a unit that a person wrote', () => {
  let lab: Lab
  let site: Site
  let box: LabHost
  const write = (more: object = {}) => site.write({ box: machine({ flagship: kindB({ unit: 'big-model', ...more }) }) })
  const files = () => mustExec(box, `cat ${unitFile} ${dropIn}; stat -c '%Y %i %U %a' ${unitFile} ${dropIn}`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'box', kind: 'box' }])
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await mustExec(box, `mkdir -p ${dropIn.slice(0, dropIn.lastIndexOf('/'))}`)
    await mustExec(box, `cat > ${unitFile}`, { stdin: unit })
    await mustExec(box, `cat > ${dropIn}`, { stdin: override })
    await mustExec(box, 'systemctl daemon-reload; systemctl enable --now big-model')
    await mustExec(
      box,
      'for i in $(seq 60); do curl -fsS -o /dev/null http://127.0.0.1:9997/health && exit 0; sleep 0.5; done; exit 1',
    )
    expect(await chat(box, 9997, 'flagship')).toMatchObject({ status: 200 })
    await write({ no_browser: false })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('is adopted: the plan has this action alone, and shows what would change some day', async () => {
    const plan = expectExit(await site.run(['plan', '--json', '--detailed-exitcode']), 2).plan()
    expect(refusalsOn(plan, 'box')).toEqual([])
    expect(changesOn(plan, 'box')).toEqual(['adopt flagship'])
    expect(hostPlan(plan, 'box').actions[0]).toMatchObject({
      interrupts: false,
      starts: false,
      note: expect.stringContaining('Restart always → on-failure'),
    })
  })

  it('keeps its bytes, and its server its process and its warmth', async () => {
    const [before, bytes] = [await fronts(box), await files()]
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts[0]?.actions).toMatchObject([{ action: 'box/flagship/adopt', status: 'applied' }])
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'flagship', ok: true }])
    expect(await fronts(box)).toEqual(before)
    expect(await files()).toBe(bytes)
    expect(expectExit(await site.run(['status']), 0).stdout).toMatch(/flagship .*running.* warm/)
  })

  it('is then in the desired state, without drift', async () => {
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expectExit(await site.run(['drift']), 0)
  })

  it('is refused a restart for another context, as every warm server', async () => {
    const [before, bytes] = [await fronts(box), await files()]
    await write({ no_browser: false, ctx: 8192 })
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'box')).toEqual(['WARM.RESTART flagship'])
    expect(await fronts(box)).toEqual(before)
    expect(await files()).toBe(bytes)
    await write({ no_browser: false })
  })

  it('is theirs again once they edit it, and is adopted anew where the server stays what it is', async () => {
    await mustExec(box, `sed -i 's/the big model/the very big model/' ${unitFile}; systemctl daemon-reload`)
    const drifted = expectExit(await site.run(['drift']), 2).stdout
    expect(drifted).toContain('flagship')
    const before = await fronts(box)
    expect(changesOn(expectExit(await site.run(['plan', '--json']), 0).plan(), 'box')).toEqual(['adopt flagship'])
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await fronts(box)).toEqual(before)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expectExit(await site.run(['drift']), 0)
  })
})
