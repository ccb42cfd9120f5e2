import type { ConsentUsed } from '../model/journal.ts'
import type { JournalledRun } from './journalled-run.ts'

/** The consents of a run that it used for something that is not done yet: leave was given for doing it once. */
export function consentsLeft({ plan, hosts, consents }: JournalledRun): readonly ConsentUsed[] {
  const settled = new Set(hosts.flatMap((host) => host.settled))
  return consents.filter(({ host, service, code }) => {
    const own = plan.hosts.find((one) => one.host === host)
    const overruled = own?.consented.filter((refusal) => refusal.code === code && refusal.service === service) ?? []
    return overruled.flatMap(({ actions }) => actions).some((id) => !settled.has(id))
  })
}
