import type { Context } from '../../context/context.ts'
import { version } from '../../context/version.ts'
import type { DoctorDocument } from '../../model/doctor-document.ts'
import type { Account } from '../../schedulers/job.ts'
import type { SelectionFlags } from '../open-fleet.ts'
import { worst } from './check.ts'
import { checkCache, checkState } from './check-folders.ts'
import { checkClock, checkNode, checkTerminal } from './check-here.ts'
import { checkInventory } from './check-inventory.ts'
import { checkAgent, checkSsh, checkSshKeygen } from './check-openssh.ts'
import { checkSchedules } from './check-schedules.ts'

/** What converge needs of this machine, and what there is. Everything is only read, and no host is contacted. */
export async function examine(context: Context, flags: SelectionFlags, account: Account): Promise<DoctorDocument> {
  const waited = Promise.all([
    Promise.all([checkSsh(context), checkSshKeygen(context), checkAgent(context)]),
    Promise.all([checkState(context), checkCache(context), checkClock(context)]),
    Promise.all([checkInventory(context, flags), checkSchedules(context, account)]),
  ])
  const [openSsh, here, work] = await waited
  const checks = [checkNode(process), ...openSsh, ...here, checkTerminal(context), ...work]
  return { schema: 'converge/doctor/v1', version, verdict: worst(checks), checks }
}
