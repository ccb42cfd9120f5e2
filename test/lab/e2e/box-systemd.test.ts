import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { ask, chat, processesOf } from './model-server.ts'
import {
  actionsOn,
  changesOn,
  expectExit,
  expectWords,
  hostPlan,
  kindB,
  machine,
  openSite,
  refusalsOn,
  type Site,
  serviceKey,
} from './site.ts'

const unitFile = '/etc/systemd/system/flagship.service'
const fronts = (host: LabHost) => processesOf(host, '^/usr/bin/python3 /opt/kindb/serve serve ')

/** One unit from nothing to gone, on a box of its own; each test goes on where the one before it ended. */
describe.skipIf(noLab)('a Kind B under systemd', () => {
  let lab: Lab
  let site: Site
  let box: LabHost
  const flagship = (more: object = {}) => site.write({ box: machine({ flagship: kindB({ no_browser: true, ...more }) }) })
  const shown = async (property: string) => mustExec(box, `systemctl show --value -p ${property} flagship.service`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'box', kind: 'box' }])
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await flagship()
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('is refused where its program does not know --no-browser, as the real one does not', async () => {
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'box')).toEqual(['FLAG.UNSUPPORTED flagship'])
    expect(hostPlan(plan, 'box').refusals[0]?.next.join('\n')).toContain('no_browser: false')
    expectExit(await site.run(['apply', '-y']), 3)
    expect(await fronts(box)).toEqual([])
    // From here on the program is the one of the specification.
    await mustExec(box, `echo '{"spec_flags": true}' > /opt/kindb/knobs.json`)
  })

  it('is installed, started and proved to work', async () => {
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts[0]?.actions.map(({ status }) => status)).not.toContain('failed')
    const [smoke] = report.hosts[0]?.smoke ?? []
    expect(smoke).toMatchObject({ service: 'flagship', ok: true })
    const proved = smoke?.checks.filter((check) => check.ok && check.skipped === undefined).map(({ name }) => name)
    expect(proved).toEqual(expect.arrayContaining(['health', 'models', 'key', 'completion', 'port-owner']))
    expect(report.second_plan).toMatchObject({ changes: 0 })
    expect(await mustExec(box, 'systemctl is-enabled flagship; systemctl is-active flagship')).toBe('enabled\nactive')
  })

  it('has the unit that the specification fixes', async () => {
    const unit = directives(await mustExec(box, `cat ${unitFile}`))
    expect(unit.get('Unit.Description')).toHaveLength(1)
    expect(unit.get('Unit.After')).toEqual(['network-online.target'])
    expect(unit.get('Service.User')).toEqual(['op'])
    expect(unit.get('Service.Environment')?.map((line) => line.replaceAll('"', ''))).toEqual(
      expect.arrayContaining(['SRV_MODEL=/srv/models/flagship', 'CTX=16384', 'RAM_GB=1']),
    )
    expect(unit.get('Service.EnvironmentFile')).toEqual([expect.stringMatching(/^\/etc\/converge\//)])
    expect(unit.get('Service.ExecStart')).toEqual([
      expect.stringMatching(/^\/usr\/bin\/python3 \/opt\/kindb\/serve serve --host 0\.0\.0\.0 --port 9997 --no-browser( |$)/),
    ])
    expect(unit.get('Service.Restart')).toEqual(['on-failure'])
    expect(unit.get('Service.RestartSec')).toEqual(['10'])
    expect(unit.get('Install.WantedBy')).toEqual(['multi-user.target'])
    expect(await mustExec(box, `stat -c '%a %U' ${unitFile}`)).toBe('644 root')
    expect(await mustExec(box, `systemd-analyze verify --man=no --recursive-errors=no ${unitFile} 2>&1`)).toBe('')
    expect(await mustExec(box, `stat -c '%a %U' ${unit.get('Service.EnvironmentFile')?.[0]}`)).toBe('600 root')
  })

  it('is then in the desired state, and its status says that it is warm', async () => {
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    const [front] = await fronts(box)
    expect(await shown('MainPID')).toBe(String(front?.pid))
    const { stdout } = expectExit(await site.run(['status']), 0)
    expect(stdout).toMatch(
      new RegExp(`box\\s+flagship\\s+B \\(serve\\)\\s+running\\s+running\\s+9997\\s+${front?.pid}\\s+warm\\s`),
    )
    expect(await chat(box, 9997, 'flagship')).toMatchObject({ status: 200 })
    expect(await chat(box, 9997, 'flagship', 'wrong')).toMatchObject({ status: 401 })
  })

  it('is not renamed: the former unit would start at every boot', async () => {
    const before = await fronts(box)
    await flagship({ unit: 'llama' })
    const renamed = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(renamed, 'box')).toContain('SERVICE.RENAMED flagship')
    expect(changesOn(renamed, 'box')).toEqual([])
    expectExit(await site.run(['apply', '-y']), 3)
    expect(await fronts(box)).toEqual(before)
    expect(await mustExec(box, 'ls /etc/systemd/system')).not.toContain('llama')
    await flagship()
  })

  it('is not restarted for another context size: the unit is written and waits', async () => {
    const before = await fronts(box)
    await flagship({ ctx: 8192 })
    const plan = expectExit(await site.run(['plan', '--detailed-exitcode', '--json']), 3).plan()
    expect(refusalsOn(plan, 'box')).toEqual(['WARM.RESTART flagship'])
    expect(changesOn(plan, 'box')).toEqual(['update flagship'])
    const [update] = actionsOn(plan, 'box')
    expect(update).toMatchObject({ interrupts: false, note: expect.stringContaining('at the next restart') })
    expect(update?.changes).toContainEqual(expect.objectContaining({ from: '16384', to: '8192', effect: 'costly-restart' }))

    const applied = expectExit(await site.run(['apply', '-y']), 3)
    expect(applied.stdout + applied.stderr).toContain('WARM.RESTART')
    expect(applied.stdout + applied.stderr).toContain('at the next restart')
    expect(await fronts(box)).toEqual(before)
    expect(await mustExec(box, `cat ${unitFile}`)).toContain('CTX=8192')
    expect(await shown('NeedDaemonReload')).toBe('no')
    expect(await mustExec(box, `tr '\\0' '\\n' < /proc/${before[0]?.pid}/environ | grep ^CTX=`)).toBe('CTX=16384')
    const again = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(changesOn(again, 'box')).toEqual([])
  })

  it('does not overrule without a reason', async () => {
    const { stderr } = expectExit(await site.run(['apply', '-y', '--allow', 'WARM.RESTART@flagship']), 64)
    expect(stderr).toContain('--reason')
  })

  it('is restarted if a person allows it and says why', async () => {
    const before = await fronts(box)
    const allow = ['--allow', 'WARM.RESTART@flagship', '--reason', 'the quarterly upgrade']
    const plan = expectExit(await site.run(['plan', '--json', ...allow]), 0).plan()
    expect(hostPlan(plan, 'box').consented).toMatchObject([
      { code: 'WARM.RESTART', consent: { reason: 'the quarterly upgrade' } },
    ])
    expect(changesOn(plan, 'box')).toEqual(['restart flagship'])
    expect(expectExit(await site.run(['apply', '-y', ...allow]), 0).transcript).toContain('approved: "the quarterly upgrade"')
    const after = await fronts(box)
    expect(after).toHaveLength(1)
    expect(after).not.toEqual(before)
    expect(await mustExec(box, `tr '\\0' '\\n' < /proc/${after[0]?.pid}/environ | grep ^CTX=`)).toBe('CTX=8192')
  })

  it.each([
    ['matches no refusal', 'WARM.RESTART@flagship', 'USAGE.APPROVAL_UNUSED'],
    ['names no rule', 'WARM.RESTRAT@flagship', 'USAGE.APPROVAL_CODE'],
    ['overrules what cannot be overruled', 'MODEL.MISSING@flagship', 'USAGE.APPROVAL_FORBIDDEN'],
  ])('takes no --allow that %s', async (_, allow, code) => {
    const before = await fronts(box)
    const { stderr } = expectExit(await site.run(['apply', '-y', '--allow', allow, '--reason', 'because']), 64)
    expect(stderr).toContain(code)
    expect(await fronts(box)).toEqual(before)
  })

  it('leaves a foreign unit alone', async () => {
    const foreign = '/etc/systemd/system/byhand.service'
    const text = '[Service]\nExecStart=/usr/bin/sleep infinity\n'
    await mustExec(box, `cat > ${foreign} && systemctl daemon-reload && systemctl start byhand`, { stdin: text })
    const pid = await mustExec(box, 'systemctl show --value -p MainPID byhand')
    await site.write({ box: machine({ byhand: kindB({ no_browser: true, port: 9998 }) }) })
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'box')).toContain('DEFINITION.FOREIGN byhand')
    expect(changesOn(plan, 'box')).toEqual([])
    expectExit(await site.run(['apply', '-y']), 3)
    await site.write({ box: machine({ byhand: kindB({ no_browser: true, port: 9998, state: 'absent' }) }) })
    const { stdout, stderr } = expectExit(await site.run(['apply', '-y']), 3)
    expect(stdout + stderr).toContain('DEFINITION.FOREIGN')
    expect(await mustExec(box, `cat ${foreign}`)).toBe(text.trimEnd())
    expect(await mustExec(box, 'systemctl show --value -p MainPID -p UnitFileState byhand')).toBe(`${pid}\nstatic`)
    await mustExec(box, `systemctl stop byhand && rm ${foreign} && systemctl daemon-reload`)
  })

  it('says that it does not work when its engine died behind its front', async () => {
    await flagship({ ctx: 8192 })
    const [front] = await fronts(box)
    await mustExec(box, `pkill -KILL -P ${front?.pid}`)
    await expect.poll(() => chat(box, 9997, 'flagship')).toMatchObject({ status: 500 })
    expect(await ask(box, 9997, '/health')).toMatchObject({ status: 200 })
    const { stdout, stderr } = expectExit(await site.run(['verify']), 6)
    const said = stdout + stderr
    expectWords(said, ['box', 'flagship', 'completion', '500'])
    const report = expectExit(await site.run(['verify', '--json']), 6).report()
    const checks = report.hosts[0]?.smoke[0]?.checks ?? []
    expect(checks.find(({ name }) => name === 'health')).toMatchObject({ ok: true })
    expect(checks.find(({ name }) => name === 'completion')).toMatchObject({ ok: false })
    expect(await fronts(box)).toEqual([front])
  })

  it('is stopped by approval, enabled no more, and plans nothing after that', async () => {
    await flagship({ ctx: 8192, state: 'stopped' })
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'box')).toEqual(['WARM.RESTART flagship'])
    const allow = ['--allow', 'WARM.RESTART@flag*@box', '--reason', 'night']
    const report = expectExit(await site.run(['apply', '-y', '--json', ...allow]), 0).report()
    expect(report.second_plan).toMatchObject({ changes: 0 })
    expect(await fronts(box)).toEqual([])
    expect(await mustExec(box, 'systemctl is-enabled flagship; systemctl is-active flagship; :')).toBe('disabled\ninactive')
  })

  it('gets its key inline where the inventory says so, with a warning, and shows it nowhere', async () => {
    await flagship({ ctx: 8192, key_delivery: 'inline' })
    const planned = expectExit(await site.run(['plan', '--json']), 0)
    expect(hostPlan(planned.plan(), 'box').warnings.map(({ code }) => code)).toContain('KEY.VISIBLE')
    const applied = expectExit(await site.run(['apply', '-y', '-v']), 0)
    const rendered = expectExit(await site.run(['render', 'flagship@box']), 0)
    for (const { transcript } of [planned, applied, rendered]) expect(transcript).not.toContain(serviceKey)
    const unit = directives(await mustExec(box, `cat ${unitFile}`))
    expect(unit.get('Service.Environment')?.map((line) => line.replaceAll('"', ''))).toContain(`SRV_API_KEY=${serviceKey}`)
    expect(unit.has('Service.EnvironmentFile')).toBe(false)
    expect(await mustExec(box, `stat -c '%a' ${unitFile}`)).toBe('600')
    expect(await chat(box, 9997, 'flagship')).toMatchObject({ status: 200 })
  })

  it('is removed with `state: absent`; program and model stay', async () => {
    const others = 'find /srv/models /opt/kindb -type f -not -name "*.pyc" | sort | xargs sha256sum'
    const before = await mustExec(box, others)
    await flagship({ state: 'absent' })
    expectExit(await site.run(['apply', '-y', '--allow', 'WARM.RESTART@flagship', '--reason', 'it goes']), 0)
    expect(await fronts(box)).toEqual([])
    expect(
      await mustExec(
        box,
        'systemctl show --value -p LoadState flagship; find /etc/converge -type f ! -name audit.log; ls /etc/systemd/system | grep flagship || :',
      ),
    ).toBe('not-found')
    expect(await mustExec(box, others)).toBe(before)
  })
})

/** `Service.ExecStart` → its values, in order. */
function directives(unit: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  let section = ''
  for (const line of unit.split('\n')) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name === undefined) continue
    const key = `${section}.${name}`
    found.set(key, [...(found.get(key) ?? []), value])
  }
  return found
}
