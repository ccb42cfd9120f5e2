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

/**
 * A safety rule: pure and synchronous, it may only say no. Rules live one per file, code and explanation with them; the
 * registry is `index.ts`. Smallest real example: `port-reserved.ts`. A rule has one or more of the checks below; where it has
 * one that sees a host, a plan runs that, and `checkInventory` is for
 * `converge validate` and for hosts that could not be looked at.
 */
export interface Rule {
  readonly code: string
  readonly severity: 'refuse' | 'warn'
  /** A few words with no names in them: the summary of its refusals. */
  readonly title: string
  /** For `converge explain CODE`: what it means, why it matters, what to do. */
  readonly explain: string
  readonly consentable: boolean
  /** On what is wanted alone, for every service that is not to be absent. */
  checkInventory?(wanted: InventoryContext): readonly Finding[]
  /** Before anything is planned for a service: whether it can be planned on this host at all. */
  checkService?(context: ServiceContext): readonly Finding[]
  /** On the simulated host before and after one action. */
  checkAction?(context: ActionContext): readonly Finding[]
  /** On what would be changed of the machine itself. */
  checkSetting?(context: SettingContext): readonly Finding[]
  /** On the host as the plan leaves it. */
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
  /** How far its model is; absent: it comes from no hub, or that does not matter for what is asked. */
  readonly fetch?: JudgedModel
  /** What a server would load: as it lies on the host, or, where some of it is still to come, as it will be. */
  readonly model: Observed<ModelFiles | null>
}

export interface ActionContext extends Omit<ServiceContext, 'state'> {
  readonly action: Action
  readonly before: HostState
  readonly after: HostState
  /** The service as it was observed, before any action. */
  readonly state: ServiceState
  readonly need: Observed<MemoryNeed>
  /** How the server would be started; undefined while its key cannot be had. */
  readonly launch: Launch | undefined
  /** For how long a running service may be down at most; absent: that does not matter. */
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

/** Something that a rule looked at: a fact in words, or what the inventory says and where. */
export type Evidence = string | KeyEvidence

export interface KeyEvidence {
  readonly text: string
  readonly at: SourceRef
  /** False: the key is not there, and `at` is what it would stand below. */
  readonly written: boolean
  /** Whose key it is; absent: a host's, or the fleet's. */
  readonly service?: string
}

/** What a rule found; code, summary and consentability come from the rule itself unless it says otherwise here. */
export interface Finding extends Pick<Refusal, 'why' | 'next'> {
  readonly evidence: readonly Evidence[]
  readonly summary?: string
  /** Where it is told under another code: `FACT.UNKNOWN`, when a fact the rule needed is unknown. */
  readonly code?: string
  /** Set where an approval must not overrule it although the rule's code allows one. */
  readonly consentable?: false
  /** It concerns the host as a whole and is shown once. */
  readonly wholeHost?: true
  /** Of a service's check: it stands against writing and starting, and the service can be compared and stopped nevertheless. */
  readonly comparable?: true
  /** Of a service's check: nothing can be compared because of it, yet a server that is to be stopped can be stopped. */
  readonly mayStillStop?: true
  /** Of a host's check: the service it is about. */
  readonly service?: string
}
