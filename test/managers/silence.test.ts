import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as compose from '../../src/managers/compose/acts.ts'
import * as containers from '../../src/managers/compose/checks.ts'
import { macPortFree } from '../../src/managers/macos-checks.ts'
import { restorePrevious } from '../../src/managers/previous-copy.ts'
import * as systemd from '../../src/managers/systemd/acts.ts'
import { unitEnabled } from '../../src/managers/systemd/checks.ts'
import { previousSuffix } from '../../src/model/beside.ts'
import type { Step, StepGroup } from '../../src/model/step.ts'
import { compileCase, type StepsCase } from './given-steps.ts'
import { fixturePath, readCases } from './read-cases.ts'

interface SilenceCase {
  readonly asks: string
  /** sh by the name of the tool; `call WORDS` notes that something was changed. */
  readonly tools: Readonly<Record<string, string>>
  readonly file?: string
  readonly kept?: string
  readonly well: boolean
  readonly says?: string
  readonly calls?: readonly string[]
}

interface Asked {
  readonly script: string
  readonly args: readonly string[]
}

const mark = 'com.example.coder'
const before = { id: 'abc', startedAt: '2026-10-30T08:00:00Z' }
const shells = ['dash', 'busybox sh', 'bash --posix']
/** BusyBox takes its own before any that lies on the way. */
const ownTools = ['ps', 'sleep', 'grep', 'sha256sum', 'lsof', 'netstat']

/** Everything that concludes something from what is not there, with the definition at `file` in the folder. */
function asked(folder: string): ReadonlyMap<string, Asked> {
  const docker = join(folder, 'docker')
  const file = join(folder, 'file')
  const engine = { docker, compose: [docker, 'compose'], replaces: true }
  const container = { name: 'coder', project: 'coder', file, image: 'image', grace: 1 }
  const unit = { unit: 'coder.service', path: file, ownershipLabel: mark, grace: 1 }
  return new Map([
    ['container stopped', containers.containerStopped(docker, 'coder')],
    ['container gone', containers.containerGone(docker, 'coder', mark)],
    ['name is ours', containers.nameIsOurs(docker, 'coder', mark)],
    ['take down ours', compose.takeDownOurs(docker, container, mark)],
    ['take down new', compose.takeDownNew(docker, container, mark, before)],
    ['create if gone', script(compose.createIfGone(engine, container))],
    ['bring back', compose.bringBack(engine, container, mark, before)],
    ["image's help", { ...imageHelp, args: [docker, ...imageHelp.args.slice(1)] }],
    ['remove network', compose.removeNetwork(docker, container)],
    ['stop if ours', systemd.stopIfOurs(unit)],
    ['delete if ours', systemd.deleteIfOurs(unit)],
    ['not at boot', unitEnabled('coder.service', false)],
    ['run as before', systemd.runAsBefore(unit, { pid: 1, start: '1' })],
    ['no longer awake', script(awake.undo[0])],
    ['port free on a Mac', macPortFree(9990)],
    ['caffeinate ended', noMore.postcheck[0] ?? nothing],
    ['put back', restorePrevious([file], 'the digest of what was kept')],
  ])
}

const nothing: Asked = { script: 'exit 99', args: [] }

function script(step: Step | undefined): Asked {
  return step?.do === 'run' ? step : nothing
}

const awake = compiled('launchd', 'a-keep-awake')
const noMore = compiled('launchd', 'a-keep-awake-no-more')
const imageHelp = script(compiled('compose', 'a-restart').steps.find(({ label }) => label.includes('supports the flags')))

function compiled(manager: 'compose' | 'launchd', name: string): StepGroup {
  const given = new Map(readCases<StepsCase>(`managers/${manager}/steps`)).get(name)
  if (given === undefined) throw new Error(`there is no case ${name}`)
  return compileCase(manager, given)
}

const cases: readonly SilenceCase[] = parse(readFileSync(fixturePath('managers/silence.yaml'), 'utf8'))
const named = cases.map((one) => [`${one.asks}: ${JSON.stringify(one.tools)}`, one] as const)

describe.each(shells)('missing is distinguished from unknown, in %s', (shell) => {
  const [program = 'sh', ...first] = shell.split(' ')
  const playable = named.filter(([, { tools }]) => program !== 'busybox' || !ownTools.some((tool) => tool in tools))
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'silence-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it.each(playable)('%s', (_, { asks, tools, file, kept, well, says = '', calls = [] }) => {
    for (const [tool, text] of Object.entries(tools)) {
      const path = join(folder, tool)
      writeFileSync(path, `#!/bin/sh\ncall() { echo "$1" >>'${folder}/calls'; }\n${text}\n`)
      chmodSync(path, 0o755)
    }
    if (file !== undefined) writeFileSync(join(folder, 'file'), `${file}\n`)
    if (kept !== undefined) writeFileSync(join(folder, `file${previousSuffix}`), kept)
    const one = asked(folder).get(asks) ?? nothing
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
    const { status, stdout, stderr } = spawnSync(program, [...first, '-c', one.script, 'sh', ...one.args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    const noted = join(folder, 'calls')
    expect(status === 0, `it ended with ${status}: ${stdout}${stderr}`).toBe(well)
    expect(status).not.toBe(99)
    expect(stdout + stderr).toContain(says)
    expect(existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []).toEqual(calls)
  })
})
