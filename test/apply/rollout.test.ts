import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { HostTask } from '../../src/apply/host-task.ts'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import type { RolloutHost, RolloutPlay } from '../../src/apply/rollout.ts'
import { rollOut } from '../../src/apply/rollout.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Action } from '../../src/model/action.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { VerifyLevel } from '../../src/model/playbook.ts'
import type { HostReport } from '../../src/model/report.ts'
import type { Step } from '../../src/model/step.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

type Wrong = 'unreachable' | 'locked' | 'fails' | 'unwell' | 'unreadable' | 'misread' | 'bug'

interface RolloutCase {
  readonly name: string
  readonly forks?: number
  readonly plays: readonly {
    readonly hosts: readonly string[]
    readonly serial?: readonly (number | string)[]
    readonly max: number
    readonly verify?: VerifyLevel
  }[]
  readonly wrong?: Readonly<Record<string, Wrong>>
  readonly interruptIn?: string
  readonly ends: Readonly<Record<string, readonly string[]>>
  readonly batches: readonly (readonly string[])[]
  readonly limit?: readonly string[]
}

const cases: readonly RolloutCase[] = parse(readFileSync(new URL('../fixtures/apply/rollouts.yaml', import.meta.url), 'utf8'))

describe('a rollout', () => {
  it.each(cases)('$name', async (rolloutCase) => {
    const names = Object.keys(rolloutCase.ends)
    await using stack = new AsyncDisposableStack()
    const transports = new Map<string, ShTransport>()
    for (const name of names) transports.set(name, stack.use(await shTransport(['/bin/sh'], name)))
    const { reports, events } = await play(rolloutCase, transports)

    expect(Object.fromEntries(reports.map(({ host, actions }) => [host, actions.map(({ status }) => status)]))).toEqual(
      rolloutCase.ends,
    )
    // The host that ends first.
    expect(reports.map(({ host }) => host)).toEqual([...new Set(rolloutCase.plays.flatMap(({ hosts }) => hosts))])
    const begun = events.flatMap((event) => (event.type === 'batch-started' ? [event.hosts] : []))
    expect(begun).toEqual(rolloutCase.batches)
    const limited = reports.filter((report) => report.problem?.code === 'APPLY.LIMIT_REACHED').map((report) => report.host)
    expect(limited).toEqual(rolloutCase.limit ?? [])
    const bugs = reports.filter((report) => report.problem?.code === 'INTERNAL.HOST').map((report) => report.host)
    expect(bugs).toEqual(names.filter((name) => ['misread', 'bug'].includes(rolloutCase.wrong?.[name] ?? '')))
    for (const [name, transport] of transports) {
      expect(recordsOf(transport)).toEqual(provedServices(name, rolloutCase, reports))
      expect(existsSync(join(transport.folder, 'lock'))).toBe(rolloutCase.wrong?.[name] === 'locked')
    }
  })
})

it('proves and remembers a server whose setting could not be made', async () => {
  await using transport = await shTransport(['/bin/sh'], 'studio')
  const start = actionOf('studio', 'x', 'start')
  const setting: Action = { ...actionOf('studio', 'x', 'host-setting'), starts: false }
  const host: HostTask = {
    host: 'studio',
    transport,
    root: transport.folder,
    actions: [start, setting],
    prepare: async (remaining) => remaining.map((action) => prepared(action, action.kind === 'host-setting')),
    verify: async (service) => ({ host: 'studio', service, ok: true, checks: [] }),
  }
  const who = { runId: 'run-1', version: '0.0.0', owner: 'op', controller: 'laptop', pid: 1 }
  const { signal } = new AbortController()
  const run = { ...who, clock: jumpingClock(), emit: () => undefined, journal: memoryJournal(), nonce, signal, force: signal }
  const [report] = await rollOut([{ name: 'all', hosts: [host], maxFailPercentage: 0, verify: 'smoke' }], { forks: 1, run })
  expect(report?.actions.map(({ status }) => status)).toEqual(['applied', 'failed'])
  expect(report?.smoke).toMatchObject([{ service: 'x', ok: true }])
  expect(recordsOf(transport)).toEqual(['x.json'])
  const log = readFileSync(join(transport.folder, 'audit.log'), 'utf8').trimEnd().split('\n')
  const steps = ['step-intended', 'step-ended']
  expect(log.map((line) => JSON.parse(line).event)).toEqual(['run-begun', ...steps, ...steps, ...steps, 'run-ended'])
})

async function play(rolloutCase: RolloutCase, transports: ReadonlyMap<string, ShTransport>) {
  const interrupt = new AbortController()
  const events: RunEvent[] = []
  const emit = (event: RunEvent): void => {
    events.push(event)
    if (event.type === 'step-started' && event.host === rolloutCase.interruptIn) interrupt.abort()
  }
  const plays = rolloutCase.plays.map(
    (one, index): RolloutPlay => ({
      name: `play ${index + 1}`,
      hosts: one.hosts.map((name) => hostOf(name, rolloutCase.wrong?.[name], transports.get(name))),
      maxFailPercentage: one.max,
      verify: one.verify ?? 'smoke',
      ...(one.serial === undefined ? {} : { serial: one.serial.map(sizeOf) }),
    }),
  )
  const who = { runId: 'run-1', version: '0.0.0', owner: 'op', controller: 'laptop', pid: 1 }
  const interrupts = { signal: interrupt.signal, force: new AbortController().signal }
  const run = { ...who, clock: jumpingClock(), emit, journal: memoryJournal(), nonce, ...interrupts }
  return { reports: await rollOut(plays, { forks: rolloutCase.forks ?? 8, run }), events }
}

function sizeOf(size: number | string) {
  return typeof size === 'number' ? { count: size } : { percent: Number.parseFloat(size) }
}

function hostOf(name: string, wrong: Wrong | undefined, transport: ShTransport | undefined): RolloutHost {
  const gone = { summary: 'gone', why: `${name} is gone`, next: [] }
  if (wrong === 'unreachable' || transport === undefined) return { host: name, unreachable: { code: 'CONNECT.TEST', ...gone } }
  if (wrong === 'locked') holdLock(transport.folder)
  return {
    host: name,
    transport,
    root: transport.folder,
    get approvals(): [] {
      if (wrong === 'bug') throw new TypeError('a bug')
      return []
    },
    actions: [actionOf(name, 'x', 'update'), actionOf(name, 'y', 'start')],
    prepare: async (remaining) => {
      if (wrong === 'misread') throw new TypeError('a bug')
      if (wrong === 'unreadable') throw new ConvergeError('APPLY.IN_DOUBT', gone)
      return remaining.map((action) => prepared(action, wrong === 'fails' && action.service === 'x'))
    },
    verify: async (service) => ({ host: name, service, ok: !(wrong === 'unwell' && service === 'x'), checks: [] }),
  } satisfies HostTask
}

function prepared(action: Action, fails: boolean): PreparedAction {
  const step: Step = { do: 'run', label: 'act', guards: [], script: fails ? 'exit 1' : 'touch acted', args: [], timeoutMs: 5000 }
  const { service } = action
  const group = { action: action.id, service, precheck: [], steps: [step], postcheck: [], undo: [] }
  const record = { service, mark: `com.example.${service}`, runId: 'run-1', appliedAt: '', definitionDigest: '', wanted: {} }
  return { action, group, record }
}

function holdLock(folder: string): void {
  mkdirSync(join(folder, 'lock'))
  writeFileSync(join(folder, 'lock/beat'), String(Math.floor(Date.now() / 1000)))
}

function recordsOf(transport: ShTransport): readonly string[] {
  const folder = join(transport.folder, 'applied')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}

/** Only what was applied and, where it was looked at, found to work is remembered. */
function provedServices(name: string, rolloutCase: RolloutCase, reports: readonly HostReport[]): readonly string[] {
  const report = reports.find((one) => one.host === name)
  const applied = report?.actions.filter(({ status }) => status === 'applied').map(({ action }) => action.split('/')[1] ?? '')
  const unwell = report?.smoke.filter(({ ok }) => !ok).map(({ service }) => service) ?? []
  const interrupted = rolloutCase.interruptIn === name
  return interrupted
    ? []
    : [...new Set(applied)].filter((service) => !unwell.includes(service)).map((service) => `${service}.json`)
}
