import type { Manager, ServiceState } from '../managers/manager.ts'
import type { Action, FieldChange } from '../model/action.ts'
import type { HostFacts, ModelFiles } from '../model/facts.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Launch, MemoryNeed } from '../model/launch.ts'
import type { Observed } from '../model/observed.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Secret } from '../model/secret.ts'
import type { SourceRef } from '../model/source.ts'
import type { JudgedModel } from '../simulate/fetch/judge-host.ts'
import type { HostState } from '../simulate/host-state.ts'
import type { ServiceUpgrade } from '../simulate/service-case.ts'
import type { TakeoverSubject } from '../simulate/takeover-of.ts'

/**
 * A safety rule: pure and synchronous; it can only refuse or warn. Each rule has a file of its own, with its code and explanation; the registry
 * is `index.ts`. Smallest real example: `port-reserved.ts`. A rule has one or more of the checks below. If it has one that sees a host, a plan
 * runs that one; `checkInventory` is for `converge validate` and for hosts that could not be reached.
 */
export interface Rule {
  readonly code: string
  readonly severity: 'refuse' | 'warn'
  /** The summary of its refusals: a few words, without names. */
  readonly title: string
  /** For `converge explain CODE`: what the code means, why it matters, what to do. */
  readonly explain: string
  readonly consentable: boolean
  /** From the inventory alone, for every service except `state: absent`. */
  checkInventory?(context: InventoryContext): readonly Finding[]
  /** Before a service is planned: whether it can be planned on this host at all. */
  checkService?(context: ServiceContext): readonly Finding[]
  /** For the simulated host before and after one action. */
  checkAction?(context: ActionContext): readonly Finding[]
  /** For changes of the machine itself. */
  checkSetting?(context: SettingContext): readonly Finding[]
  /** For the host as the plan leaves it. */
  checkHost?(context: HostContext): readonly Finding[]
}

export interface InventoryContext {
  readonly fleet: Fleet
  readonly host: Host
  readonly service: Service
}

export interface ServiceContext extends InventoryContext {
  readonly facts: HostFacts
  readonly manager: Manager
  /** Undefined: the service has none. */
  readonly key: Observed<Secret> | undefined
  /** The service as it was observed, before any action. */
  readonly state: Observed<ServiceState>
  /** How much of its model is fetched; absent: it comes from no hub, or the caller does not need it. */
  readonly fetch?: JudgedModel
  /** What registries have; absent: this is no upgrade, or the caller does not need it. */
  readonly upgrade?: ServiceUpgrade
  /** The model that a server would load: as it is on the host, or as it will be when the fetch is complete. */
  readonly model: Observed<ModelFiles | null>
}

export interface ActionContext extends Omit<ServiceContext, 'state'> {
  readonly action: Action
  /** One object for all actions of the service: what is computed once for it is computed once. */
  readonly subject: TakeoverSubject
  readonly before: HostState
  readonly after: HostState
  /** The service as it was observed, before any action. */
  readonly state: ServiceState
  readonly need: Observed<MemoryNeed>
  /** How the server would be started; undefined while its key is not available. */
  readonly launch: Launch | undefined
  /** The longest downtime allowed for a running service; absent: no limit. */
  readonly maxDowntimeS?: number
}

export interface SettingContext {
  readonly fleet: Fleet
  readonly host: Host
  readonly facts: HostFacts
  /** Not empty. */
  readonly changes: readonly FieldChange[]
}

export interface HostContext {
  readonly fleet: Fleet
  readonly host: Host
  readonly facts: HostFacts
  readonly after: HostState
}

/** What a finding is based on: a fact in words, or a key of the inventory with its position. */
export type Evidence = string | KeyEvidence

export interface KeyEvidence {
  readonly text: string
  readonly at: SourceRef
  /** False: the key is missing, and `at` is its parent. */
  readonly written: boolean
  /** The service that has the key; absent: it belongs to a host or the fleet. */
  readonly service?: string
}

/** A finding of a rule. Code, summary and `consentable` come from the rule unless they are set here. */
export interface Finding extends Pick<Refusal, 'why' | 'next'> {
  readonly evidence: readonly Evidence[]
  readonly summary?: string
  /** Set to report it under another code: `FACT.UNKNOWN` if a fact that the rule needs is unknown. */
  readonly code?: string
  /** Set if no approval overrules it although the rule's code allows one. */
  readonly consentable?: false
  /** It concerns the whole host and is shown once. */
  readonly wholeHost?: true
  /** For `checkService`: the service cannot be written or started, but it can be compared and stopped. */
  readonly comparable?: true
  /** For `checkService`: the service cannot be compared, but it can be stopped. */
  readonly mayStillStop?: true
  /** For `checkHost`: the service it is about. */
  readonly service?: string
}
