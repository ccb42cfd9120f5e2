import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostTask } from '../../src/apply/host-task.ts'
import { createJournal } from '../../src/apply/journal.ts'
import { openJournalFile } from '../../src/apply/journal-file.ts'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import { rollOut } from '../../src/apply/rollout.ts'
import type { HostReport } from '../../src/model/report.ts'
import type { PutStep, RunStep } from '../../src/model/step.ts'
import { type Clock, systemClock } from '../../src/time/clock.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { actionOf } from '../apply/actions.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

/** Two hosts, each a folder: a definition, the server that read it, and a diary in which every step says when it acts. */
export interface World extends AsyncDisposable {
  readonly folder: string
  readonly hosts: readonly string[]
}

export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-two-runs-'))
  const hosts = ['nas', 'box'].map((name) => join(folder, name))
  for (const host of hosts) {
    mkdirSync(host)
    for (const file of ['definition', 'running']) writeFileSync(join(host, file), 'before\n')
    writeFileSync(join(host, 'diary'), '')
  }
  return { folder, hosts, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** What happens to a run, at which of its commands on a host, counted from 1. */
export interface Fault {
  readonly kind: (typeof faults)[number]
  readonly at: number
}

/** The connection is cut before a command arrives, after it ran, or while it is killed; or a person interrupts the run. */
export const faults = ['cut-before', 'cut-after', 'killed', 'interrupted', 'interrupted-twice'] as const

export interface RunWanted {
  readonly runId: string
  /** What the definition is to be, and what its server is to have read. */
  readonly wish: string
  readonly fault?: Fault
  readonly lockTimeoutMs?: number
}

export interface RunEnded {
  readonly reports: readonly HostReport[]
  /** What was said on the way: that a lock is waited for, or was taken over. */
  readonly notes: readonly string[]
  /** Numbers of the steps in its journal. */
  readonly journalled: readonly number[]
}

/** One run of a controller that shares nothing with any other one but the hosts. */
export async function controllerRun(world: World, wanted: RunWanted): Promise<RunEnded> {
  await using stack = new AsyncDisposableStack()
  const state = await mkdtemp(join(tmpdir(), 'converge-state-'))
  stack.defer(() => rm(state, { recursive: true, force: true }))
  const path = join(state, `${wanted.runId}.ndjson`)
  const file = await openJournalFile(path)
  const journal = createJournal(file, { now: () => new Date(), redact: (text) => text })
  const [interrupt, force] = [new AbortController(), new AbortController()]
  const notes: string[] = []
  const tasks: HostTask[] = []
  const shells: ShTransport[] = []
  for (const host of world.hosts) {
    const shell = stack.use(await shTransport(['/bin/sh'], host))
    shells.push(shell)
    const transport = wanted.fault === undefined ? shell : faulty(shell, wanted.fault, { interrupt, force })
    tasks.push(taskOn(host, transport, wanted))
  }
  const run = {
    runId: wanted.runId,
    version: '0.0.0',
    owner: 'op',
    controller: wanted.runId,
    pid: process.pid,
    clock: hurried,
    emit: (event: { readonly type: string; readonly note?: string }) => {
      if (event.type === 'host-note' && event.note !== undefined) notes.push(event.note)
    },
    journal,
    nonce: () => randomUUID().replaceAll('-', ''),
    signal: interrupt.signal,
    force: force.signal,
    // Of a run that is cut off nothing runs on by the time its lock is dead.
    settleS: 0,
    ...(wanted.lockTimeoutMs === undefined ? {} : { lockTimeoutMs: wanted.lockTimeoutMs }),
  }
  const play = { name: 'all', hosts: tasks, maxFailPercentage: 100, verify: 'smoke' as const }
  const reports = await rollOut([play], { forks: 2, run })
  await journal.settled()
  await file[Symbol.asyncDispose]()
  for (const shell of shells) while (shell.running.size > 0) await sleep(10)
  for (const host of world.hosts) die(host, wanted.runId)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const entries: readonly { readonly event: string; readonly n?: number }[] = lines.map((line) => JSON.parse(line))
  return {
    reports,
    notes,
    journalled: entries.flatMap(({ event, n }) => (event === 'step-intended' && n !== undefined ? [n] : [])),
  }
}

/**
 * Two minutes later: what a run has left of a lock is dead, also where it was killed while it gave it back. The other run may give its own
 * back meanwhile.
 */
function die(host: string, runId: string): void {
  const lock = join(host, 'converge/lock')
  const owner = readOr(join(lock, 'owner'))
  if (owner !== '' && !owner.includes(`"runId":"${runId}"`)) return
  whereItIs(() => existsSync(join(lock, 'beat')) && writeFileSync(join(lock, 'beat'), '1000000000\n'))
  for (const folder of [join(lock, 'heir'), lock]) whereItIs(() => utimesSync(folder, 1_000_000_000, 1_000_000_000))
}

function whereItIs(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Waiting for a lock takes a twentieth of its time. */
const hurried: Clock = {
  now: () => systemClock.now() * 20,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
}

function faulty(
  shell: ShTransport,
  fault: Fault,
  abort: { readonly interrupt: AbortController; readonly force: AbortController },
): Transport {
  let count = 0
  const happen = (): void => {
    if (fault.kind === 'cut-before') shell.cut()
    else if (fault.kind === 'cut-after') shell.cut('after-next')
    else if (fault.kind === 'killed') setTimeout(() => kill(shell), 15)
    else {
      abort.interrupt.abort()
      if (fault.kind === 'interrupted-twice') setTimeout(() => abort.force.abort(), 15)
    }
  }
  return {
    ...shell,
    exec: (script, options) => {
      count += 1
      if (count === fault.at) happen()
      return shell.exec(script, options)
    },
  }
}

function kill(shell: ShTransport): void {
  shell.cut()
  for (const group of shell.running) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has ended just now.
    }
  }
}

function taskOn(host: string, transport: Transport, { runId, wish }: RunWanted): HostTask {
  const action = actionOf(host, 'coder', 'update')
  const isAsWanted = () => whatIs(host).every((content) => content === wish)
  const prepared = (): PreparedAction => {
    const [before = ''] = whatIs(host)
    const steps = [definition(host, runId, wish), restart(host, runId)]
    const undo = [definition(host, runId, before), restart(host, runId)]
    const record = { service: 'coder', mark: 'com.example.coder', runId, appliedAt: '', definitionDigest: '', wanted: {} }
    return { action, record, group: { action: action.id, service: 'coder', precheck: [], steps, postcheck: [], undo } }
  }
  return {
    host,
    transport,
    root: join(host, 'converge'),
    actions: [action],
    prepare: async () => (isAsWanted() ? [] : [prepared()]),
    verify: async (service) => ({ host, service, ok: isAsWanted(), checks: [] }),
  }
}

/** The definition, and what the server has read of it. */
export function whatIs(host: string): readonly string[] {
  return ['definition', 'running'].map((file) => readFileSync(join(host, file), 'utf8').trim())
}

/** `$1` the host, `$2` the run: who acts, and whose lock it is, before and after some time. */
const acting = `
say() { printf '%s %s %s\\n' "$2" "$3" "$(sed 's/.*"runId":"\\([^"]*\\)".*/\\1/' "$1/converge/lock/owner" 2>/dev/null)" >>"$1/diary"; }
`

function definition(host: string, runId: string, content: string): PutStep {
  const script = `${acting}say "$2" "$3" begin; sleep 0.05; say "$2" "$3" end`
  const validate = { script, args: [host, runId] }
  return {
    do: 'put',
    label: 'write',
    guards: [],
    path: join(host, 'definition'),
    content: [`${content}\n`],
    mode: 0o644,
    folderMode: 0o755,
    validate,
  }
}

function restart(host: string, runId: string): RunStep {
  const script = `${acting}say "$1" "$2" begin; cp "$1/definition" "$1/.next" && sleep 0.05 && mv "$1/.next" "$1/running"; say "$1" "$2" end`
  return { do: 'run', label: 'restart', guards: [], script, args: [host, runId], timeoutMs: 30_000, server: true }
}

export function readOr(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
