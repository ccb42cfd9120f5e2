import type { Context } from '../context/context.ts'
import { parseObject } from '../lib/json-object.ts'
import { readBegun } from './journals.ts'
import { isProvedGone } from './process-identity.ts'

type Place = Pick<Context, 'env' | 'cwd'>

/** As `newRun` makes it: a host may have written anything into its lock, and this becomes the name of a file. */
const runId = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/

/**
 * Whether the run that holds a lock on a host is proved to be over: its journal is on this machine, and tells of a process of this machine
 * that is gone. What a host says is not believed beyond which journal to look for.
 *
 * @param holder the owner's line of the lock
 */
export async function isRunProvedDead(place: Place, holder: string): Promise<boolean> {
  const told = parseObject(holder) ?? {}
  return isHolderProvedDead(place, {
    runId: told['runId'],
    owner: told['owner'],
    controller: told['controller'],
    pid: told['pid'],
  })
}

/** The same of a holder as facts tell it, without a pid. */
export async function isHolderProvedDead(
  place: Place,
  holder: { readonly runId: unknown; readonly owner: unknown; readonly controller: unknown; readonly pid?: unknown },
): Promise<boolean> {
  if (typeof holder.runId !== 'string' || !runId.test(holder.runId)) return false
  const begun = await readBegun(place, `${holder.runId}.ndjson`).catch(() => undefined)
  if (begun === undefined || begun.run_id !== holder.runId) return false
  if (begun.owner !== holder.owner || begun.controller !== holder.controller) return false
  if (holder.pid !== undefined && holder.pid !== begun.pid) return false
  return isProvedGone(begun.process)
}
