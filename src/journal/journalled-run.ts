import { defined } from '../lib/defined.ts'
import type { ApprovalUsed, JournalEntry, RunBegun, RunEnded, StepIntended } from '../model/journal.ts'
import type { HostPlan, Plan } from '../model/plan.ts'
import type { ActionResult, HostReport } from '../model/report.ts'
import { settledActions } from './settled-actions.ts'

/** A run, read from its journal. */
export interface JournalledRun {
  readonly begun: RunBegun & { readonly at: string }
  readonly plan: Plan
  readonly approvals: readonly ApprovalUsed[]
  /** Absent: the run was killed or is still running. */
  readonly ended?: RunEnded
  readonly hosts: readonly JournalledHost[]
}

export interface JournalledHost {
  readonly host: string
  /**
   * `finished`: everything was done and proved, or there was nothing to do. `failed`: it was started and something failed, is in doubt or was
   * not proved. `unreached`: it was unreachable, or the run did not get there.
   */
  readonly state: 'finished' | 'failed' | 'unreached'
  /** Services that the run planned to change or to prove. */
  readonly services: readonly string[]
  /** Ids of settled actions, which no later resume repeats, whatever happens to the host. */
  readonly settled: readonly string[]
  /** Steps with unknown outcome. */
  readonly inDoubt: readonly StepIntended[]
}

/** Undefined: the run ended before it recorded a plan, and sent nothing. */
export function runOf(entries: readonly JournalEntry[]): JournalledRun | undefined {
  const begun = entries.find((entry) => entry.event === 'run-begun')
  const plan = entries.find((entry) => entry.event === 'run-planned')?.plan
  if (begun === undefined || plan === undefined) return undefined
  const ended = entries.findLast((entry) => entry.event === 'run-ended')
  return {
    begun,
    plan,
    approvals: entries.filter((entry) => entry.event === 'consent-used'),
    ...defined({ ended }),
    hosts: plan.hosts.map((host) => hostOf(host, entries, ended)),
  }
}

/** Whether no work is left. */
export function isFinished({ hosts }: JournalledRun): boolean {
  return hosts.every(({ state }) => state === 'finished')
}

function hostOf(plan: HostPlan, entries: readonly JournalEntry[], ended: RunEnded | undefined): JournalledHost {
  const { host } = plan
  const own = entries.filter((entry) => 'host' in entry && entry.host === host)
  const reports = own.flatMap((entry) => (entry.event === 'host-ended' ? [entry.report] : []))
  const results = own.flatMap((entry) => resultsIn(entry))
  const inDoubt = stepsInDoubt(own)
  const proved = reports.every(isProved) && own.every((entry) => entry.event !== 'service-proved' || entry.result.ok)
  const leftOver = ended?.second_plan?.some((id) => id.startsWith(`${host}/`) || id.startsWith(`${host} (`)) === true
  const finished = plan.reachable && inDoubt.length === 0 && proved && !leftOver && isDone(plan, reports)
  const services = [
    ...new Set([...plan.actions.filter(({ kind }) => kind !== 'noop').map(({ service }) => service), ...servicesIn(own)]),
  ]
  const settled = settledActions(plan.actions, own)
  if (finished) return { host, state: 'finished', services, settled, inDoubt }
  const begun = own.some(({ event }) => event === 'step-intended' || event === 'service-proved') || results.some(hadItsTurn)
  return { host, state: begun || leftOver ? 'failed' : 'unreached', services, settled, inDoubt }
}

function servicesIn(own: readonly JournalEntry[]): readonly string[] {
  return own.flatMap((entry) => {
    if (entry.event === 'step-intended') return [entry.service]
    return entry.event === 'service-proved' ? [entry.result.service] : []
  })
}

function resultsIn(entry: JournalEntry): readonly ActionResult[] {
  if (entry.event === 'action-ended') return [entry.result]
  return entry.event === 'host-ended' ? entry.report.actions : []
}

/** False for an action that an interrupt prevented from starting. */
function hadItsTurn({ status, problem }: ActionResult): boolean {
  if (status === 'not-run') return problem !== undefined && problem.code !== 'APPLY.INTERRUPTED'
  return status !== 'refused'
}

function stepsInDoubt(own: readonly JournalEntry[]): readonly StepIntended[] {
  const ended = new Map(own.flatMap((entry) => (entry.event === 'step-ended' ? [[entry.n, entry.outcome]] : [])))
  return own.filter((entry) => entry.event === 'step-intended').filter(({ n }) => (ended.get(n) ?? 'in-doubt') === 'in-doubt')
}

function isProved({ reachable, problem, smoke }: HostReport): boolean {
  return reachable && problem === undefined && smoke.every(({ ok }) => ok)
}

/** A host is done when its final reports cover every action of its plan. */
function isDone({ actions }: HostPlan, reports: readonly HostReport[]): boolean {
  const done = new Set(
    reports
      .flatMap((report) => report.actions.filter(({ status }) => status === 'applied' || status === 'not-needed'))
      .map(({ action }) => action),
  )
  return actions.every(({ kind, id }) => kind === 'noop' || done.has(id))
}
