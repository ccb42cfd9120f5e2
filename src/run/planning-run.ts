import type { Context } from '../context/context.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import type { OutputFlags } from './deliver.ts'
import type { Keys, SecretResolver } from './keys.ts'
import type { OpenFleet, SelectionFlags } from './open-fleet.ts'

/** The facts of each host, or the problem of a host whose facts could not be gathered. */
export type Observation = ReadonlyMap<string, HostFacts | Problem>

/** Flags of every verb that plans. */
export interface PlanningFlags extends SelectionFlags, OutputFlags {
  readonly sshConfig?: string | undefined
  /** False: send no notifications. */
  readonly notify?: boolean | undefined
  readonly quiet?: true | undefined
  readonly verbose?: true | undefined
  /** Show every command in plans. */
  readonly steps?: true | undefined
}

/** The part of a run that planning and comparing need: facts, from hosts or from files. It gives no access to a host. */
export interface PlanningRun {
  readonly context: Context
  readonly flags: PlanningFlags
  readonly open: OpenFleet
  readonly keys: Keys
  /** Resolves tokens for hubs; absent: ask no hub. */
  readonly resolve?: SecretResolver
  /** The folder with a facts snapshot; absent: use the hosts. */
  readonly factsFolder?: string
  observe(hosts: readonly Host[], how: { readonly keep: boolean; readonly phase: 'gather' }): Promise<Observation>
  /** Releases the terminal for a result. */
  stopDisplay(): Promise<void>
}
