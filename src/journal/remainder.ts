import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import { isTidying } from '../managers/tidying.ts'
import { type Action, hostItself } from '../model/action.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { HostFacts } from '../model/facts.ts'
import type { StepIntended } from '../model/journal.ts'
import type { HostPlan, Plan, Problem } from '../model/plan.ts'
import type { ResumedRun, StepFound } from '../model/report.ts'
import { exceeds, worstRisk } from '../plan/exceeds.ts'
import type { JournalledRun } from './journalled-run.ts'

/** What of a plan made just now belongs to an earlier run. */
export interface Remainder {
  /** Ids of actions that do no more than what the earlier run was to do and did not do; some of them may be refused now. */
  readonly agreed: readonly string[]
  /** Ids of the others. */
  readonly left: readonly string[]
}

/** @param now of the same inventory, for the hosts that the earlier run did not finish */
export function remainderOf({ plan, hosts }: JournalledRun, now: Plan): Remainder {
  const needed = now.hosts.flatMap(neededOn)
  const settled = new Set(hosts.flatMap((host) => host.settled))
  const planned = plan.hosts.flatMap(({ actions }) => actions).filter(({ kind }) => kind !== 'noop')
  const open = planned.filter(({ id }) => !settled.has(id))
  // Of what is done and proved, the record may be missing.
  const belongs = (action: Action) => isWithin(action, open) || (isTidying(action) && isWithin(action, planned))
  const agreed = new Set(needed.filter(belongs).map(({ id }) => id))
  return { agreed: [...agreed], left: needed.map(({ id }) => id).filter((id) => !agreed.has(id)) }
}

function neededOn({ actions, held_back = [] }: HostPlan): readonly Action[] {
  return [...actions, ...held_back].filter(({ kind }) => kind !== 'noop')
}

/** These bring a service up to what is wanted by degrees; a run that stopped half-way may need another of them than it had planned. */
const degrees: readonly Action['kind'][] = ['install', 'update', 'start', 'restart']

/**
 * Whether it does nothing that was not planned: half of a planned update may be done, and what is left of it is a restart. It may
 * interrupt, start, risk and change no more than what was planned for the service.
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
  { host, service, action, step, record: kind }: StepIntended,
  plan: HostPlan,
  facts: HostFacts | Problem | undefined,
  runId: string,
): StepFound {
  const told = { host, service, ...defined({ action }), step }
  if (facts === undefined || !('salt' in facts)) return { ...told, found: 'unknown' }
  if (kind !== undefined)
    return {
      ...told,
      found: recordFound(facts, service, (record) => (kind === 'write' ? record?.runId === runId : record === undefined)),
    }
  // What is about no action (a rollback of an earlier run, a saved plan) leaves nothing by which it could be told.
  if (action === undefined) return { ...told, found: 'unknown' }
  if (neededOn(plan).some((one) => one.service === service)) return { ...told, found: 'not-done' }
  const judged = plan.actions.some((one) => one.service === service)
  return { ...told, found: judged ? 'done' : 'unknown' }
}

/** The note of what was applied names the run, or is gone. */
function recordFound(
  { applied }: HostFacts,
  service: string,
  isDone: (record: AppliedRecord | undefined) => boolean,
): StepFound['found'] {
  if (!applied.known) return 'unknown'
  return isDone(ownMember(applied.value, service)) ? 'done' : 'not-done'
}
