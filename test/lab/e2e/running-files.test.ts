import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DriftDocument } from '../../../src/model/drift.ts'
import type { Plan } from '../../../src/model/plan.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { type ProcessMark, processesOf } from './model-server.ts'
import { actionsOn, changesOn, expectExit, hostPlan, kindA, machine, openSite, refusalsOn, type Site } from './site.ts'

const program = '/usr/bin/llama-server'
const model = '/srv/models/tiny/tiny.gguf'

const differing = (found: Plan) => actionsOn(found, 'metal').flatMap(({ changes }) => changes.map(({ field }) => field))

/** A real llama-server as a unit, whose files are exchanged under it; each test goes on where the one before it ended. */
describe.skipIf(noLab)('files that are replaced under a running server', () => {
  let lab: Lab
  let site: Site
  let metal: LabHost

  const server = () => processesOf(metal, '^[^ ]*llama-server --')
  const write = (more: object = {}) =>
    site.write({ metal: machine({ coder: kindA({ manager: 'systemd', executable: program, ...more }) }) })
  const plan = async (code: number): Promise<Plan> =>
    expectExit(await site.run(['plan', '--json', '--detailed-exitcode']), code).plan()

  async function drifted(): Promise<readonly string[]> {
    const document: DriftDocument = JSON.parse(expectExit(await site.run(['drift', '--json']), 2).stdout)
    return document.hosts.flatMap(({ findings }) => findings.map((one) => `${one.class} ${one.field}`))
  }

  /** Restarted by it, once, and in the desired state afterwards. */
  async function expectRestart(before: readonly ProcessMark[]): Promise<void> {
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await server()).toHaveLength(1)
    expect(await server()).not.toEqual(before)
    expectExit(await site.run(['drift']), 0)
  }

  beforeAll(async () => {
    lab = await startLab([{ name: 'metal', kind: 'metal' }])
    metal = lab.host('metal')
    site = await openSite(lab.sshConfigFile)
    await write()
    expectExit(await site.run(['apply', '-y']), 0)
    // Nothing that is written from here on could be as old as the process.
    await new Promise((resolve) => setTimeout(resolve, 3500))
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('are those it was started from as long as they are untouched', async () => {
    expect(changesOn(await plan(0), 'metal')).toEqual([])
    expectExit(await site.run(['drift']), 0)
  })

  it('a program that lacks a flag of the launch: the plan says that it would not start again, and nothing is restarted', async () => {
    const before = await server()
    expect(before).toHaveLength(1)
    await mustExec(metal, `cp -p ${program} ${program}.kept; ${program} --help > /tmp/help 2>&1 && ${withoutJinja}`)
    const found = await plan(3)
    expect(changesOn(found, 'metal')).toEqual([])
    expect(refusalsOn(found, 'metal')).toEqual(['FLAG.UNSUPPORTED coder'])
    const [refusal] = hostPlan(found, 'metal').refusals
    expect(refusal?.why).toContain('--jinja')
    expect(refusal?.why).toContain('would exit with a usage error at its next start')
    expect(hostPlan(found, 'metal').held_back?.flatMap(({ changes }) => changes.map(({ field }) => field))).toEqual([
      'running.executable',
    ])
    expectExit(await site.run(['apply', '-y']), 3)
    expect(await drifted()).toEqual(['drift running.executable'])
    expect(await server()).toEqual(before)
  })

  it('a program that knows them all: it is restarted once', async () => {
    const before = await server()
    await mustExec(metal, `cp ${program}.kept ${program}.new && mv ${program}.new ${program}`)
    const found = await plan(2)
    expect(changesOn(found, 'metal')).toEqual(['restart coder'])
    expect(differing(found)).toEqual(['running.executable'])
    expect(await drifted()).toEqual(['drift running.executable'])
    await expectRestart(before)
  })

  it('a replacement model of another size', async () => {
    const before = await server()
    await mustExec(
      metal,
      `{ cat ${model}; head -c 4096 /dev/zero; } > ${model}.new && touch -d 2020-01-01 ${model}.new && mv ${model}.new ${model}`,
    )
    const found = await plan(2)
    expect(differing(found)).toEqual(['running.model'])
    expect(await drifted()).toEqual(['drift running.model'])
    await expectRestart(before)
  })

  it('a model that is rewritten in place', async () => {
    await new Promise((resolve) => setTimeout(resolve, 3500))
    const before = await server()
    await mustExec(metal, `head -c 4096 /dev/zero >> ${model}`)
    expect(differing(await plan(2))).toEqual(['running.model'])
    await expectRestart(before)
  })

  it('a model that was read and closed', async () => {
    await write({ extra_args: ['--cache-ram', '64', '--load-mode', 'none'] })
    expectExit(await site.run(['apply', '-y']), 0)
    await new Promise((resolve) => setTimeout(resolve, 3500))
    const before = await server()
    await mustExec(metal, `cp ${model} ${model}.new && mv ${model}.new ${model}`)
    expect(differing(await plan(2))).toEqual(['running.model'])
    await expectRestart(before)
  })

  it('a model and a program that were not touched but for their modes', async () => {
    await new Promise((resolve) => setTimeout(resolve, 3500))
    await mustExec(metal, `chmod g+w ${model} && chmod g+w ${program}`)
    expect(changesOn(await plan(0), 'metal')).toEqual([])
  })
})

/** It refuses the flag as llama-server refuses one, and its help does not list it; put in place as an update is, by a rename. */
const withoutJinja = `cat > ${program}.new <<'SCRIPT'
#!/bin/sh
for word in "$@"; do
  case $word in
  --help) exec grep -v -e --jinja /tmp/help ;;
  --jinja) echo "error: invalid argument: --jinja" >&2; exit 1 ;;
  esac
done
exec ${program}.kept "$@"
SCRIPT
chmod 755 ${program}.new && mv ${program}.new ${program}`
