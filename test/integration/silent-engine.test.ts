import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { executeGroup } from '../../src/apply/execute-group.ts'
import type { Check, Step, StepGroup } from '../../src/model/step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { actionOf } from '../apply/actions.ts'
import { nonce } from '../apply/step-cases.ts'
import { compileCase, type StepsCase } from '../managers/given-steps.ts'
import { readCases } from '../managers/read-cases.ts'
import { type DoubleContainer, dockerDouble, type Failing } from '../support/docker-double.ts'
import { shTransport } from '../support/sh-transport.ts'

/** What is really there, whatever the engine says of it. */
interface HostState {
  readonly container: DoubleContainer | null
  /** The text of the compose file; null: there is none. */
  readonly file: string | null
}

interface Scene {
  readonly name: string
  /** Whether it is as the action wants it. */
  readonly isDone: (now: HostState) => boolean
  /** Whether it is as before, or as good. */
  readonly isBack: (now: HostState) => boolean
}

const runs = ({ container }: HostState) => container?.status === 'running'
const isMadeFromFile = ({ container, file }: HostState) =>
  container !== null && container.definition !== '' && file?.includes(container.definition) === true
const none = ({ container, file }: HostState) => container === null && file === null
const isOld = ({ file }: HostState) => file?.startsWith('# as it was') === true
const rests = (now: HostState) => !runs(now)
const runsOld = (now: HostState) => runs(now) && isOld(now) && isMadeFromFile(now)
const restsOld = (now: HostState) => rests(now) && isOld(now) && isMadeFromFile(now)
const runsNew = (now: HostState) => runs(now) && !isOld(now) && isMadeFromFile(now)
const restsNew = (now: HostState) => rests(now) && !isOld(now) && isMadeFromFile(now)

const scenes: readonly Scene[] = [
  { name: 'a-stop', isDone: rests, isBack: runsOld },
  { name: 'a-remove', isDone: none, isBack: runsOld },
  { name: 'a-start', isDone: runs, isBack: restsOld },
  { name: 'a-install-and-start', isDone: runsNew, isBack: none },
  { name: 'a-update-and-restart', isDone: runsNew, isBack: runsOld },
  { name: 'a-update-stopped', isDone: restsNew, isBack: restsOld },
]

const faults = ['unreachable from one call on', 'unreachable at one call', 'done and not heard at one call'] as const

const cases = new Map(readCases<StepsCase>('managers/compose/steps'))

/** The steps as they are compiled, in a real shell, against an engine that fails at each of its calls in turn, and from one on also at those of the rollback. */
describe.each(scenes)('$name, where the engine does not always answer', (scene) => {
  let bin: string
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), 'bin-'))
    // Whether a server stays up is looked at for seconds, in which this one does nothing.
    putProgram(join(bin, 'sleep'), '#!/bin/sh\n')
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(bin, { recursive: true })
  })

  let answered: Awaited<ReturnType<typeof play>>
  beforeAll(async () => {
    answered = await play(scene)
  })

  it('is done where it answers', () => {
    const { result, now } = answered
    expect(result).toMatchObject({ status: 'applied' })
    expect(now).toSatisfy(scene.isDone)
  })

  it.each(faults)('is never said to be done or put back when it is not: %s', async (fault) => {
    const numbers = Array.from({ length: answered.calls }, (_, index) => index + 1)
    const lies = await Promise.all(numbers.map((from) => lieOf(scene, failing(fault, from))))
    expect(lies.filter((one) => one !== undefined)).toEqual([])
  })
})

function failing(fault: (typeof faults)[number], from: number): Failing {
  const how = fault === 'done and not heard at one call' ? 'unheard' : 'unreachable'
  return { from, to: fault === 'unreachable from one call on' ? undefined : from, how }
}

async function lieOf(scene: Scene, fault: Failing): Promise<string | undefined> {
  const { result, now, calls } = await play(scene, fault)
  if (calls < fault.from) return `there was no call ${fault.from}`
  const { status, undone = '' } = result
  const said = `at call ${fault.from}: ${status} ${undone}, and there is ${JSON.stringify(now)}`
  if (status === 'applied') return scene.isDone(now) ? undefined : said
  return ['restored', 'not-needed'].includes(undone) && !scene.isBack(now) ? said : undefined
}

async function play({ name }: Scene, fault?: Failing) {
  const given = cases.get(name)
  if (given === undefined) throw new Error(`there is no case ${name}`)
  const group = compileCase('compose', given)
  await using transport = await shTransport()
  const file = join(transport.folder, 'etc/compose/coder/compose.yaml')
  const definition = given.action.kind === 'start' ? (argsOf(group, 'runs and is not restarted')[2] ?? '') : 'old'
  const written = `# as it was\n# converge.managed: com.example.coder\n# converge.definition: ${definition}\n`
  if (given.before !== null) put(file, written)
  const before = given.before === null ? null : containerBefore(group, given.before, definition)
  const docker = dockerDouble(transport.folder, before, fault)
  const words: Readonly<Record<string, string>> = {
    '/usr/bin/docker': docker.path,
    '/etc/converge': join(transport.folder, 'etc'),
    [argsOf(group, 'coder/compose.yaml has not changed')[1] ?? 'no digest']: createHash('sha256').update(written).digest('hex'),
  }
  const context = { transport, clock: systemClock, nonce, host: 'nas', emit: () => undefined }
  const result = await executeGroup(actionOf('nas', 'coder', given.action.kind), here(group, words), context)
  const now: HostState = { container: docker.container(), file: existsSync(file) ? readFileSync(file, 'utf8') : null }
  return { result, now, calls: docker.calls() }
}

function containerBefore(group: StepGroup, was: 'running' | 'stopped', definition: string): DoubleContainer {
  const [, , id = 'id-before', startedAt = 'before'] = argsOf(group, 'container coder has not changed')
  const mark = argsOf(group, 'no other container is named')[2] ?? ''
  return { id, startedAt, definition, mark, status: was === 'running' ? 'running' : 'exited' }
}

function argsOf(group: StepGroup, label: string): readonly string[] {
  const checks = [...group.precheck, ...group.postcheck]
  return checks.find((one) => one.label.includes(label))?.args ?? []
}

const matters = ({ label }: Check) => !label.startsWith('nothing listens')

/** On this machine: in a folder, with the listeners of this machine. */
function here(group: StepGroup, words: Readonly<Record<string, string>>): StepGroup {
  const steps = (all: readonly Step[]) => all.map((step) => ({ ...step, guards: step.guards.filter(matters) }))
  const kept = { ...group, precheck: group.precheck.filter(matters), steps: steps(group.steps), undo: steps(group.undo) }
  const moved = (_key: string, value: unknown) =>
    typeof value === 'string' ? Object.entries(words).reduce((text, [from, to]) => text.replaceAll(from, to), value) : value
  const placed: StepGroup = JSON.parse(JSON.stringify(kept), moved)
  return placed
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function putProgram(path: string, text: string): void {
  put(path, text)
  chmodSync(path, 0o755)
}
