import { ConvergeError } from '../errors/converge-error.ts'
import { cronTimes, nearestIntervals } from './cron-times.ts'
import { crontabBlock } from './crontab.ts'
import { type Account, type Entry, type ScheduledJob, spanWords } from './job.ts'
import { runScript } from './run-script.ts'
import { crontabWord } from './shell-word.ts'

/** A line for the user's crontab, and the script that it runs: some crons limit the line length, and their environment is minimal. */
export function cronEntry(job: ScheduledJob): Entry {
  const when =
    job.atS === undefined ? cronTimes(job.everyS) : `${Math.floor(job.atS / 60) % 60} ${Math.floor(job.atS / 3600)} * * *`
  if (when === undefined) throw notExact(job.everyS)
  const path = scriptPath(job.folder)
  const line = `${when} /bin/sh ${crontabWord(path)}`
  return {
    scheduler: 'cron',
    name: job.name,
    files: [{ path, mode: 0o700, content: runScript(job) }],
    crontab: crontabBlock(job.name, [line]),
  }
}

export function cronFiles(_name: string, folder: string, _account: Account): readonly string[] {
  return [scriptPath(folder)]
}

export function scriptPath(folder: string): string {
  return `${folder}/run`
}

function notExact(everyS: number): ConvergeError {
  const nearest = nearestIntervals(everyS).map(spanWords)
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: 'Cron cannot express this interval. Nothing was written.',
    why: `A crontab names minutes, hours and days. An interval that does not divide an hour or a day would not run exactly every ${spanWords(everyS)}.`,
    next: [
      `Use the nearest interval: ${nearest.map((one) => `--every ${one}`).join(' or ')}.`,
      'systemd and launchd support any interval:  converge schedule systemd …',
    ],
  })
}
