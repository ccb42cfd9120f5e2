import { cronEntry, cronFiles } from './cron.ts'
import type { Account, Entry, ScheduledJob, ScheduleName } from './job.ts'
import { launchdEntry, launchdFiles } from './launchd.ts'
import { systemdEntry, systemdFiles } from './systemd.ts'

interface Scheduler {
  /** Pure. @throws ConvergeError `USAGE.SCHEDULE` if the scheduler does not support this exact interval */
  readonly entry: (job: ScheduledJob, account: Account) => Entry
  /** Paths of the files of an entry; @param folder of the job */
  readonly files: (name: string, folder: string, account: Account) => readonly string[]
}

/** The schedulers of the controlling machine. */
export const schedulers: Readonly<Record<ScheduleName, Scheduler>> = {
  cron: { entry: cronEntry, files: cronFiles },
  systemd: { entry: systemdEntry, files: systemdFiles },
  launchd: { entry: launchdEntry, files: launchdFiles },
}
