import type { Context } from '../context/context.ts'
import { parseObject } from '../lib/json-object.ts'
import { readBegun } from './journals.ts'
import { isProvedGone } from './process-identity.ts'

type StateAccess = Pick<Context, 'env' | 'cwd'>

/** As `newRun` makes it. Checked because the lock on a host may contain anything, and the id becomes a file name. */
const runId = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/

/**
 * Whether the run that holds a lock on a host has provably ended: its journal is on this machine and names a process of this machine
 * that is gone. The host's answer only selects the journal.
 *
 * @param holder the owner line of the lock
 */
export async function isRunProvedDead(access: StateAccess, holder: string): Promise<boolean> {
  const record = parseObject(holder) ?? {}
  return isHolderProvedDead(access, {
    runId: record['runId'],
    owner: record['owner'],
    controller: record['controller'],
    pid: record['pid'],
  })
}

/** The same for a holder from facts, which have no pid. */
export async function isHolderProvedDead(
  access: StateAccess,
  holder: { readonly runId: unknown; readonly owner: unknown; readonly controller: unknown; readonly pid?: unknown },
): Promise<boolean> {
  if (typeof holder.runId !== 'string' || !runId.test(holder.runId)) return false
  const begun = await readBegun(access, `${holder.runId}.ndjson`).catch(() => undefined)
  if (begun === undefined || begun.run_id !== holder.runId) return false
  if (begun.owner !== holder.owner || begun.controller !== holder.controller) return false
  if (holder.pid !== undefined && holder.pid !== begun.pid) return false
  return isProvedGone(begun.process)
}
