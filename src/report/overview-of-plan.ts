import { defined } from '../lib/defined.ts'
import { type Action, hostItself } from '../model/action.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { ActionOverview, Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import type { HostPlan, Plan } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import type { SourceRef } from '../model/source.ts'
import { hostOverview } from './host-overview.ts'
import { noPaint } from './paint.ts'
import { planLine } from './plan-recap.ts'
import { renderSummary } from './plan-text.ts'
import { headlineOn } from './rests-on.ts'

/** The place of a service in the inventory; undefined if it has none. */
export type Whereabouts = (host: string, service: string) => SourceRef | undefined

/** What an overview has beside its document. */
export interface Surroundings {
  /** Of converge. */
  readonly version: string
  /** Warnings about the inventory's files. */
  readonly issues: readonly InventoryIssue[]
  readonly whereabouts: Whereabouts
}

/** A plan, by host and service. */
export function overviewOfPlan(plan: Plan, { version, issues, whereabouts }: Surroundings): Overview {
  const { summary } = plan
  const hosts = plan.hosts.map((host) => hostOverview(host.host, () => overviewOfHostPlan(host, whereabouts)))
  return {
    verb: 'plan',
    inventory: plan.inventory.path,
    headline: headlineOf(plan),
    tone: worstTone(hosts.map((host) => host.tone)),
    at: plan.created_at,
    hosts,
    issues,
    version,
    ...defined({ downtime: summary.downtime }),
  }
}

function headlineOf(plan: Plan): string {
  const counts =
    renderSummary(plan.summary, plan.hosts.map(planLine), noPaint)
      .split('\n')[0]
      ?.replace(/^Plan: /, '') ?? ''
  return headlineOn(counts, plan.facts_from)
}

/** A host of a plan: unreachable, or with all services of the plan, in its order. */
export function overviewOfHostPlan(host: HostPlan, whereabouts: Whereabouts): HostOverview {
  const { actions, held_back = [], refusals, warnings, consented } = host
  const names = new Set(
    [...actions, ...held_back, ...refusals, ...warnings, ...consented].map((one) => one.service ?? hostItself),
  )
  const services = [...names].map((service) => overviewOfService(host, service, whereabouts))
  return {
    host: host.host,
    reachable: host.reachable,
    ...defined({ problem: host.problem }),
    tone: host.reachable ? worstTone(services.map((one) => one.tone)) : 'bad',
    services,
  }
}

function overviewOfService(plan: HostPlan, service: string, whereabouts: Whereabouts): ServiceOverview {
  const about = (one: { readonly service?: string }): boolean => (one.service ?? hostItself) === service
  const actions = plan.actions.filter((one) => about(one) && one.kind !== 'noop')
  const refusals = plan.refusals.filter(about)
  const warnings = plan.warnings.filter(about)
  const consented = plan.consented.filter(about)
  const held = plan.held_back?.some(about) === true
  const at = whereabouts(plan.host, service)
  return {
    service,
    tone: refusals.length > 0 || held ? 'blocked' : warnings.length > 0 ? 'doubt' : actions.length > 0 ? 'pending' : 'good',
    state: refusals.length > 0 ? 'refused' : held ? 'waits' : actions.length > 0 ? toBeDone(actions) : 'as wanted',
    actions: actions.map(overviewOfAction),
    findings: [
      ...refusals.map((one) => findingOf(one, 'refused')),
      ...warnings.map((one) => findingOf(one, 'warning')),
      ...consented.map((one) => findingOf(one, 'overruled')),
    ],
    ...defined({ at }),
  }
}

function toBeDone(actions: readonly Action[]): string {
  return [...new Set(actions.map(({ kind }) => kind))].join(', ')
}

export function overviewOfAction(action: Action): ActionOverview {
  const { id, kind, reason, changes, diff, downtime, note } = action
  return {
    id,
    kind,
    reason,
    changes: changes.map(({ field, from, to }) => `${field}: ${from ?? '(none)'} → ${to ?? '(none)'}`),
    ...(diff === undefined || diff === '' ? {} : { diff }),
    ...(downtime === 'none' ? {} : { downtime }),
    ...defined({ note }),
  }
}

export function findingOf({ code, summary, why, evidence, at, next, consent }: Refusal, level: Finding['level']): Finding {
  const leave = consent === undefined ? [] : [`by approval: ${consent.reason}`]
  return {
    level,
    code,
    summary,
    why,
    evidence: [...evidence, ...leave],
    ...defined({ at }),
    next,
    ...defined({ settled: consent?.reason }),
  }
}

const tones: readonly Tone[] = ['good', 'pending', 'doubt', 'foreign', 'blocked', 'bad']

/** `good` for an empty list. */
export function worstTone(all: readonly Tone[]): Tone {
  return tones.findLast((tone) => all.includes(tone)) ?? 'good'
}
