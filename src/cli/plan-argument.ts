import { ConvergeError } from '../errors/converge-error.ts'
import { fromEnvironment } from '../inventory/asked-shard.ts'
import { converge } from '../lib/next-command.ts'
import type { HostFlags } from '../run/run.ts'
import { type PlanFile, readSavedPlan } from '../state/saved-plan.ts'

/** What `apply` was given: a playbook, a saved plan, or nothing. */
export interface PlanArgument<Flags> {
  readonly playbook: string | undefined
  readonly saved?: PlanFile
  /** With what the saved plan says of inventory, hosts and services. */
  readonly flags: Flags
}

/**
 * Distinguishes a saved plan from a playbook by the content of the file.
 *
 * @throws ConvergeError `USAGE.SAVED_PLAN` for options that a saved plan does not leave open; `PLAN.*`
 */
export async function readPlanArgument<
  Flags extends HostFlags & { readonly allow?: unknown; readonly waitIdle?: unknown; readonly maxDowntime?: unknown },
>(path: string | undefined, flags: Flags): Promise<PlanArgument<Flags>> {
  const saved = path === undefined ? undefined : await readSavedPlan(path)
  if (saved === undefined) return { playbook: path, flags }
  const open = {
    '--limit': flags.limit,
    '--shard': flags.shard === fromEnvironment ? undefined : flags.shard,
    '--run-id': flags.runId,
    '--service': flags.service,
    '--allow': flags.allow,
    '--wait-idle': flags.waitIdle,
    '--max-downtime': flags.maxDowntime,
  }
  const given = Object.entries(open).find(([, value]) => value !== undefined)
  if (given !== undefined) throw notOpen(saved.path, given[0])
  const { hosts, services } = saved.plan.saved
  const inventory = flags.inventory ?? saved.plan.inventory.path
  return {
    playbook: undefined,
    saved,
    flags: {
      ...flags,
      inventory,
      hosts,
      shard: undefined,
      inShard: saved.plan.shard,
      ...(services.length === 0 ? {} : { service: services }),
    },
  }
}

function notOpen(path: string, option: string): ConvergeError {
  return new ConvergeError('USAGE.SAVED_PLAN', {
    summary: 'An option cannot be combined with a saved plan.',
    why: `${path} says itself what it is about, and ${option} would make it another plan than the one that was shown. Nothing was done.`,
    next: [`Leave ${option} out.`, converge(['plan', option], { say: 'Or make a new plan with it:', fillIn: '… --out FILE' })],
  })
}
