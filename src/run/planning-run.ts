import type { Context } from '../context/context.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import type { OutputFlags } from './deliver.ts'
import type { Keys, SecretResolver } from './keys.ts'
import type { OpenFleet, SelectionFlags } from './open-fleet.ts'

/** What was seen, host by host; a host that could not be looked at has its problem instead, and the others go on. */
export type Observation = ReadonlyMap<string, HostFacts | Problem>

/** What every verb that plans is called with. */
export interface PlanningFlags extends SelectionFlags, OutputFlags {
  readonly sshConfig?: string | undefined
  /** False: nobody in `fleet.notify` is told. */
  readonly notify?: boolean | undefined
  readonly quiet?: true | undefined
  readonly verbose?: true | undefined
  /** Plans are shown with every command that is sent. */
  readonly steps?: true | undefined
}

/** What planning and comparing need of a run: facts, from the hosts or from files. Nothing in it leads to a host. */
export interface PlanningRun {
  readonly context: Context
  readonly flags: PlanningFlags
  readonly open: OpenFleet
  readonly keys: Keys
  /** How tokens for hubs are come by; absent: no hub is asked. */
  readonly resolve?: SecretResolver
  /** The folder whose files stand in for the hosts; absent: the hosts themselves are looked at. */
  readonly factsFolder?: string
  observe(hosts: readonly Host[], how: { readonly keep: boolean; readonly phase: 'gather' }): Promise<Observation>
  /** Lets go of the terminal, so that a result can be printed. */
  stopDisplay(): Promise<void>
}
