import type { CatalogueEntry } from './entry.ts'

export const scheduleCodes = {
  'USAGE.SCHEDULE': {
    exit: 64,
    title: 'this command cannot be scheduled',
    explain:
      '`converge schedule cron|systemd|launchd --every 1h -- drift …` schedules a command on this machine. It accepts the read-only verbs `drift`, `plan`, `status` and `verify`; `fetch`, which starts missing downloads and restarts no server; and, with `--at`, `use PROFILE -y`, which changes the hosts at a time that you chose. It refuses all others: a scheduled apply would change hosts unattended, and no one would read its refusals. It also refuses intervals that the scheduler cannot keep exactly, and arguments that the verb itself would refuse. Line ends and control characters are refused too, because crontabs and units cannot contain them. Nothing was written.',
  },
  'SCHEDULE.FOREIGN': {
    exit: 64,
    title: 'the entry to replace or delete was not written by converge',
    explain:
      '`converge schedule` replaces and deletes only files with its own mark, and in a crontab only the lines between its own two marks. Something else is in that place: a file that converge did not write, a link, or a block whose marks were edited. Nothing was written. Check it, then move it away or choose another `--name`.',
  },
  'SCHEDULE.FAILED': {
    exit: 5,
    title: 'the scheduler did not add or remove the entry',
    explain:
      '`converge schedule --install` and `--remove` use the programs of the system: `crontab`, `systemctl`, `launchctl`. One of them is not installed, failed, or did not do what it reported; the message contains its output. converge restored what it had written, unless the message says otherwise.',
  },
} as const satisfies Record<string, CatalogueEntry>
