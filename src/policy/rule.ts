import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Refusal } from '../model/refusal.ts'
import type { HostState } from '../plan/host-state.ts'

/**
 * A safety rule: pure and synchronous, it may only say no. Rules live one per file, code and explanation with them; the
 * registry is `index.ts`. Smallest real example: `port-reserved.ts`.
 */
export type Rule = InventoryRule | ActionRule | HostRule

interface RuleBase {
  readonly code: string
  readonly severity: 'refuse' | 'warn'
  /** A few words. */
  readonly title: string
  /** For `converge explain CODE`: what it means, why it matters, what to do. */
  readonly explain: string
  readonly consentable: boolean
}

/** Judged on what is wanted alone; `converge validate` runs these. */
export interface InventoryRule extends RuleBase {
  readonly on: 'inventory'
  check(wanted: { readonly fleet: Fleet; readonly host: Host; readonly service: Service }): readonly Finding[]
}

/** Judged on the simulated host before and after one action. */
export interface ActionRule extends RuleBase {
  readonly on: 'action'
  check(context: ActionContext): readonly Finding[]
}

/** Judged on the host as the plan leaves it. */
export interface HostRule extends RuleBase {
  readonly on: 'host'
  check(context: HostContext): readonly Finding[]
}

export interface HostContext {
  readonly fleet: Fleet
  readonly host: Host
  readonly facts: HostFacts
  readonly after: HostState
}

export interface ActionContext extends HostContext {
  /** The wanted service that the action is about. */
  readonly service: Service
  readonly action: Action
  readonly before: HostState
}

/** What a rule found; code, summary and consentability come from the rule itself. */
export type Finding = Pick<Refusal, 'why' | 'evidence' | 'next'> & { readonly summary?: string }
