import { cronEntry, cronFiles } from './cron.ts'
import type { Account, Entry, ScheduledJob, ScheduleName } from './job.ts'
import { launchdEntry, launchdFiles } from './launchd.ts'
import { systemdEntry, systemdFiles } from './systemd.ts'

interface Scheduler {
  /** Pure. @throws ConvergeError `USAGE.SCHEDULE` where it cannot run something at exactly these intervals */
  readonly entry: (job: ScheduledJob, account: Account) => Entry
  /** Paths of what an entry of this name is made of; @param folder of the job */
  readonly files: (name: string, folder: string, account: Account) => readonly string[]
}

/** What can run a verb at intervals on the controlling machine. */
export const schedulers: Readonly<Record<ScheduleName, Scheduler>> = {
  cron: { entry: cronEntry, files: cronFiles },
  systemd: { entry: systemdEntry, files: systemdFiles },
  launchd: { entry: launchdEntry, files: launchdFiles },
}
