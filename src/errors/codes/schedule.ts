import type { CatalogueEntry } from './entry.ts'

export const scheduleCodes = {
  'USAGE.SCHEDULE': {
    exit: 64,
    title: 'this cannot be run on a schedule',
    explain:
      '`converge schedule cron|systemd|launchd --every 1h -- drift …` has a verb run at intervals on this machine: one that only looks (`drift`, `plan`, `status`, `verify`), or `fetch`, which starts missing downloads and restarts no server. Any other is refused: a scheduled apply would change things while nobody looks, and nobody would be there to read what it refuses. Refused as well are intervals that the scheduler cannot keep exactly, what the verb itself would refuse, and words with line ends or control characters, which no crontab and no unit can carry. Nothing was written.',
  },
  'SCHEDULE.FOREIGN': {
    exit: 64,
    title: 'what is to be written or deleted is not what converge left there',
    explain:
      '`converge schedule` replaces and deletes only files whose mark says that it wrote them, and in a crontab only what stands between its own two marks. Something else is in that place: a file of somebody, a link, or a block whose marks were edited. Nothing was written. Look at it, and move it away or choose another `--name`.',
  },
  'SCHEDULE.FAILED': {
    exit: 5,
    title: 'the scheduler did not take the entry, or did not let it go',
    explain:
      '`converge schedule --install` and `--remove` use the programs of the system: `crontab`, `systemctl`, `launchctl`. One of them is not on this machine, failed, or did not do what it said; the message has its own words. What converge had written for it was put back as it was before, unless the message says otherwise.',
  },
} as const satisfies Record<string, CatalogueEntry>
