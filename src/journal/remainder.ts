import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { stableJson } from '../lib/stable-json.ts'
import { isTidying } from '../managers/tidying.ts'
import { type Action, hostItself } from '../model/action.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { HostFacts } from '../model/facts.ts'
import type { StepIntended } from '../model/journal.ts'
import type { HostPlan, Plan, Problem } from '../model/plan.ts'
import type { ResumedRun, StepFound } from '../model/report.ts'
import { exceeds, worstRisk } from '../plan/exceeds.ts'
import type { JournalledRun } from './journalled-run.ts'

/** The part of a new plan that belongs to an interrupted run. */
export interface Remainder {
  /** Ids of actions within what the interrupted run planned and did not do; some may be refused now. */
  readonly agreed: readonly string[]
  /** Ids of the others. */
  readonly left: readonly string[]
}

/** @param now a plan of the same inventory for the unfinished hosts */
export function remainderOf({ plan, hosts }: JournalledRun, now: Plan): Remainder {
  const needed = now.hosts.flatMap(neededOn)
  const settled = new Set(hosts.flatMap((host) => host.settled))
  const planned = plan.hosts.flatMap(({ actions }) => actions).filter(({ kind }) => kind !== 'noop')
  const open = planned.filter(({ id }) => !settled.has(id))
  // The record of a done and proved action may be missing.
  const belongs = (action: Action) =>
    isWithin(action, open) || (isTidying(action) && (isWithin(action, planned) || isPartOf(action, planned)))
  const agreed = new Set(needed.filter(belongs).map(({ id }) => id))
  return { agreed: [...agreed], left: needed.map(({ id }) => id).filter((id) => !agreed.has(id)) }
}

/** Each of its changes was planned for the service, with another action that was done: an override, for example. */
function isPartOf({ host, service, changes }: Action, planned: readonly Action[]): boolean {
  const own = planned.filter((one) => one.host === host && one.service === service)
  const known = new Set(own.flatMap((one) => one.changes.map((change) => stableJson(change))))
  return changes.every((change) => known.has(stableJson(change)))
}

function neededOn({ actions, held_back = [] }: HostPlan): readonly Action[] {
  return [...actions, ...held_back].filter(({ kind }) => kind !== 'noop')
}

/** Kinds that lead to the desired state step by step; after an interruption another of them may be needed than was planned. */
const degrees: readonly Action['kind'][] = ['install', 'update', 'start', 'restart']

/**
 * Whether an action does nothing that was not planned. For example, half of a planned update may be done, and a restart remains. It must
 * not interrupt, start, risk or change more than was planned for the service.
 */
function isWithin(action: Action, planned: readonly Action[]): boolean {
  const same = planned.find(({ id }) => id === action.id)
  if (same !== undefined) return exceeds(same, action).length === 0
  if (!degrees.includes(action.kind) || action.service === hostItself) return false
  const own = planned.filter(
    ({ host, service, kind }) => host === action.host && service === action.service && degrees.includes(kind),
  )
  if (own.length === 0) return false
  const together = {
    interrupts: own.some(({ interrupts }) => interrupts),
    starts: own.some(({ starts }) => starts),
    risk: worstRisk(own),
    changes: own.flatMap(({ changes }) => changes),
  }
  return exceeds(together, action).length === 0
}

/** The outcomes of steps in doubt, as far as the facts of the hosts show them. */
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
  { host, service, action, step, record: kind }: StepIntended,
  plan: HostPlan,
  facts: HostFacts | Problem | undefined,
  runId: string,
): StepFound {
  const known = { host, service, ...defined({ action }), step }
  if (facts === undefined || !('salt' in facts)) return { ...known, found: 'unknown' }
  if (kind !== undefined)
    return {
      ...known,
      found: recordFound(facts, service, (record) => (kind === 'write' ? record?.runId === runId : record === undefined)),
    }
  // A step without an action (a rollback of an earlier run, a saved plan) leaves no trace in the facts.
  if (action === undefined) return { ...known, found: 'unknown' }
  if (neededOn(plan).some((one) => one.service === service)) return { ...known, found: 'not-done' }
  const judged = plan.actions.some((one) => one.service === service)
  return { ...known, found: judged ? 'done' : 'unknown' }
}

/** Whether the record of a service was written by the run, or is gone. */
function recordFound(
  { applied }: HostFacts,
  service: string,
  isDone: (record: AppliedRecord | undefined) => boolean,
): StepFound['found'] {
  if (!applied.known) return 'unknown'
  return isDone(ownMember(applied.value, service)) ? 'done' : 'not-done'
}
