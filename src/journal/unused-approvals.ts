import type { ApprovalUsed } from '../model/journal.ts'
import type { JournalledRun } from './journalled-run.ts'

/** The approvals that a run used for unsettled actions: an approval counts once. */
export function unusedApprovals({ plan, hosts, approvals }: JournalledRun): readonly ApprovalUsed[] {
  const settled = new Set(hosts.flatMap((host) => host.settled))
  return approvals.filter(({ host, service, code }) => {
    const own = plan.hosts.find((one) => one.host === host)
    const overruled = own?.consented.filter((refusal) => refusal.code === code && refusal.service === service) ?? []
    return overruled.flatMap(({ actions }) => actions).some((id) => !settled.has(id))
  })
}
