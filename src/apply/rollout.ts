import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import type { Emit } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { BatchSize, VerifyLevel } from '../model/playbook.ts'
import type { ActionResult, HostReport } from '../model/report.ts'
import { isOverLimit, makeBatches } from './batches.ts'
import { isHostOk } from './host-report.ts'
import { type HostTask, hasWork, type RunContext } from './host-task.ts'
import { notRun } from './run-actions.ts'
import { runHost } from './run-host.ts'

/** One play of the playbook with its hosts in inventory order. */
export interface RolloutPlay {
  readonly name: string
  readonly hosts: readonly RolloutHost[]
  /** Absent: all hosts at once. */
  readonly serial?: readonly BatchSize[]
  readonly maxFailPercentage: number
  readonly verify: VerifyLevel
}

/** A planned host with its work (perhaps none), or one that could not be reached or compared. */
export type RolloutHost = HostTask | UnreachableHost

export interface UnreachableHost {
  readonly host: string
  readonly unreachable: Problem
}

export interface RolloutOptions {
  /** Hosts at a time. */
  readonly forks: number
  readonly run: RunContext
}

/**
 * Runs plays one after another, batch by batch, the hosts of a batch in parallel. When more hosts of a batch fail than the play
 * allows, nothing new starts in that batch, later batches or later plays. A host that failed in one play is skipped by the next.
 *
 * @returns one report per host, in the order in which hosts first appear
 */
export async function rollOut(plays: readonly RolloutPlay[], options: RolloutOptions): Promise<readonly HostReport[]> {
  const reports = new Map<string, HostReport>()
  const add = (report: HostReport): void => {
    const earlier = reports.get(report.host)
    reports.set(report.host, earlier === undefined ? report : joinReports(earlier, report))
    if (hasContent(report)) options.run.journal.record({ event: 'host-ended', host: report.host, report })
  }
  let stopped: Stop | undefined
  for (const play of plays) {
    const batches = makeBatches(play.hosts, play.serial)
    for (const [index, hosts] of batches.entries()) {
      const batch = { play, hosts, number: index + 1, count: batches.length }
      if (stopped !== undefined) for (const host of hosts) add(leftAlone(host, stopped.why, stopped.problem))
      else stopped = await runBatch(batch, options, reports, add)
    }
  }
  const order = new Set(plays.flatMap(({ hosts }) => hosts.map(({ host }) => host)))
  return [...order].flatMap((host) => reports.get(host) ?? [])
}

interface Batch {
  readonly play: RolloutPlay
  readonly hosts: readonly RolloutHost[]
  readonly number: number
  readonly count: number
}

/** Why nothing more may start. */
interface Stop {
  readonly why: string
  readonly problem: Problem
}

/** Undefined: continue. */
async function runBatch(
  batch: Batch,
  { forks, run }: RolloutOptions,
  reports: ReadonlyMap<string, HostReport>,
  add: (report: HostReport) => void,
): Promise<Stop | undefined> {
  const { play, hosts, number, count } = batch
  const busy = hosts.filter((host) => 'unreachable' in host || hasWork(host)).map((host) => host.host)
  if (busy.length > 0) run.emit({ type: 'batch-started', play: play.name, number, count, hosts: busy })
  const unreachable = hosts.filter((host) => 'unreachable' in host).length
  let failed = 0
  const runOne = async (host: RolloutHost): Promise<void> => {
    const before = reports.get(host.host)
    if ('unreachable' in host) return add(unreachableReport(host, run))
    if (before !== undefined && !isHostOk(before)) return add(leftAlone(host, 'the host failed in an earlier play'))
    const stop = limitOf(batch, failed)
    if (stop !== undefined) return add(leftAlone(host, stop.why, stop.problem))
    const report = await runGuarded(host, play.verify, run)
    if (!isHostOk(report)) failed += 1
    add(report)
  }
  const limit = pLimit(forks)
  await Promise.all(hosts.map((host) => limit(() => runOne(host))))
  return limitOf(batch, failed + unreachable)
}

/** A bug on one host goes into its report, with what was done by then; the other hosts continue. */
async function runGuarded(task: HostTask, level: VerifyLevel, run: RunContext): Promise<HostReport> {
  const finished = new Map<string, ActionResult>()
  const begun = new Set<string>()
  const emit: Emit = (event) => {
    if (event.type === 'action-started') begun.add(event.action)
    if (event.type === 'action-finished') finished.set(event.result.action, event.result)
    run.emit(event)
  }
  try {
    return await runHost(task, level, { ...run, emit })
  } catch (error) {
    const { host } = task
    const problem = hostBug(host, error).toProblem()
    const left = 'a bug in converge ended the run on the host'
    const actions = task.actions.map((action): ActionResult => {
      const cutOff: ActionResult = { action: action.id, status: 'failed', ms: 0, done: [], problem, left }
      return finished.get(action.id) ?? (begun.has(action.id) ? cutOff : notRun(action, left))
    })
    run.emit({ type: 'host-finished', host, ok: false, note: problem.summary, problem })
    return { host, reachable: true, problem, actions, smoke: [] }
  }
}

function limitOf({ play, hosts }: Batch, failed: number): Stop | undefined {
  if (!isOverLimit(failed, hosts.length, play.maxFailPercentage)) return undefined
  const why = `${failed} of ${hosts.length} hosts of a batch failed; "${play.name}" allows ${play.maxFailPercentage} %`
  const problem = new ConvergeError('APPLY.LIMIT_REACHED', {
    summary: 'Too many hosts failed. This one was not changed.',
    why: `${why}.`,
    next: ['Fix the failed hosts, then plan and apply again.'],
  })
  return { why, problem: problem.toProblem() }
}

function unreachableReport({ host, unreachable }: UnreachableHost, run: RunContext): HostReport {
  run.emit({ type: 'host-finished', host, ok: false, note: unreachable.summary, problem: unreachable })
  return { host, reachable: false, problem: unreachable, actions: [], smoke: [] }
}

/** Reports that nothing was done on a host, and why. */
function leftAlone(host: RolloutHost, why: string, problem?: Problem): HostReport {
  if ('unreachable' in host) return { host: host.host, reachable: false, problem: host.unreachable, actions: [], smoke: [] }
  const actions = host.actions.map((action) => notRun(action, why))
  const report = { host: host.host, reachable: true, actions, smoke: [] }
  return problem === undefined || actions.length === 0 ? report : { ...report, problem }
}

/** False for a host without work. */
function hasContent({ reachable, problem, actions, smoke }: HostReport): boolean {
  return !reachable || problem !== undefined || actions.length + smoke.length > 0
}

function joinReports(a: HostReport, b: HostReport): HostReport {
  const problem = a.problem ?? b.problem
  const joined = {
    host: a.host,
    reachable: a.reachable && b.reachable,
    actions: [...a.actions, ...b.actions],
    smoke: [...a.smoke, ...b.smoke],
  }
  return problem === undefined ? joined : { ...joined, problem }
}
