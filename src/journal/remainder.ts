import { ownMember } from '../lib/own-member.ts'
import { type Action, hostItself, type Risk } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { StepIntended } from '../model/journal.ts'
import type { HostPlan, Plan, Problem } from '../model/plan.ts'
import type { ResumedRun, StepFound } from '../model/report.ts'
import type { JournalledRun } from './journalled-run.ts'

/** What of a plan made just now belongs to an earlier run. */
export interface Remainder {
  /** Ids of actions that the earlier run was to do, or that do no more than those; some of them may be refused now. */
  readonly agreed: readonly string[]
  /** Ids of the others. */
  readonly left: readonly string[]
}

/** @param now of the same inventory, for the hosts that the earlier run did not finish */
export function remainderOf({ plan }: JournalledRun, now: Plan): Remainder {
  const needed = now.hosts.flatMap(neededOn)
  const planned = plan.hosts.flatMap(({ actions }) => actions)
  const agreed = new Set(needed.filter((action) => isWithin(action, planned)).map(({ id }) => id))
  return { agreed: [...agreed], left: needed.map(({ id }) => id).filter((id) => !agreed.has(id)) }
}

function neededOn({ actions, held_back = [] }: HostPlan): readonly Action[] {
  return [...actions, ...held_back].filter(({ kind }) => kind !== 'noop')
}

/** These bring a service up to what is wanted by degrees; a run that stopped half-way may need another of them than it had planned. */
const degrees: readonly Action['kind'][] = ['install', 'update', 'start', 'restart']
const risks: readonly Risk[] = ['none', 'safe', 'disruptive', 'costly', 'destructive']

/**
 * Whether it was planned, or does nothing that was not: half of a planned update may be done, and what is left of it is a restart. It may
 * interrupt, start and risk no more than what was planned for the service.
 */
function isWithin(action: Action, planned: readonly Action[]): boolean {
  if (planned.some(({ id }) => id === action.id)) return true
  if (!degrees.includes(action.kind) || action.service === hostItself) return false
  const own = planned.filter(
    ({ host, service, kind }) => host === action.host && service === action.service && degrees.includes(kind),
  )
  const worst = Math.max(...own.map(({ risk }) => risks.indexOf(risk)))
  const interrupts = !action.interrupts || own.some((one) => one.interrupts)
  const starts = !action.starts || own.some((one) => one.starts)
  return own.length > 0 && interrupts && starts && risks.indexOf(action.risk) <= worst
}

/** What became of the steps that nobody heard of, as far as a look at the hosts tells. */
export function foundInDoubt(
  run: JournalledRun,
  now: Plan,
  facts: ReadonlyMap<string, HostFacts | Problem>,
): ResumedRun['in_doubt'] {
  return run.hosts.flatMap(({ host, inDoubt }) => {
    const plan = now.hosts.find((one) => one.host === host)
    return plan === undefined ? [] : inDoubt.map((step) => stepFound(step, plan, facts.get(host), run.begun.run_id))
  })
}

function stepFound(
  { host, service, action, step }: StepIntended,
  plan: HostPlan,
  facts: HostFacts | Problem | undefined,
  runId: string,
): StepFound {
  const told = { host, service, ...(action === undefined ? {} : { action }), step }
  if (facts === undefined || !('salt' in facts)) return { ...told, found: 'unknown' }
  if (action === undefined) return { ...told, found: wasRecorded(facts, service, runId) }
  if (neededOn(plan).some((one) => one.service === service)) return { ...told, found: 'not-done' }
  const judged = plan.actions.some((one) => one.service === service)
  return { ...told, found: judged ? 'done' : 'unknown' }
}

/** The note of what was applied names the run. */
function wasRecorded({ applied }: HostFacts, service: string, runId: string): StepFound['found'] {
  if (!applied.known) return 'unknown'
  return ownMember(applied.value, service)?.runId === runId ? 'done' : 'not-done'
}
