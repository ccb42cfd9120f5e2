import { plistText } from '../managers/launchd/plist-text.ts'
import { redactedText } from '../model/secret.ts'
import { scriptPath } from './cron.ts'
import { type Account, commentLines, type Entry, type ScheduledJob } from './job.ts'
import { runScript } from './run-script.ts'

/** An agent that runs the script; launchd itself has no time limit, no jitter and no log rotation. */
export function launchdEntry(job: ScheduledJob, account: Account): Entry {
  const script = scriptPath(job.folder)
  const plist = plistText(commentLines(job), {
    Label: labelOf(job.name),
    ProgramArguments: ['/bin/sh', script],
    ...(job.atS === undefined
      ? { StartInterval: job.everyS }
      : { StartCalendarInterval: { Hour: Math.floor(job.atS / 3600), Minute: Math.floor(job.atS / 60) % 60 } }),
    RunAtLoad: false,
    ProcessType: 'Background',
    // The script keeps its own log; launchd would let one grow forever.
    StandardOutPath: '/dev/null',
    StandardErrorPath: '/dev/null',
  })
  return {
    scheduler: 'launchd',
    name: job.name,
    files: [
      { path: script, mode: 0o700, content: runScript(job) },
      { path: plistPath(job.name, account), mode: 0o644, content: redactedText(plist) },
    ],
  }
}

export function launchdFiles(name: string, folder: string, account: Account): readonly string[] {
  return [scriptPath(folder), plistPath(name, account)]
}

/** Outside of any fleet's prefix, under which jobs count as its servers. */
export function labelOf(name: string): string {
  return `converge.schedule.${name}`
}

export function plistPath(name: string, { uid, home }: Account): string {
  return uid === 0 ? `/Library/LaunchDaemons/${labelOf(name)}.plist` : `${home}/Library/LaunchAgents/${labelOf(name)}.plist`
}

/** The launchd domain. */
export function domainOf({ uid }: Pick<Account, 'uid'>): string {
  return uid === 0 ? 'system' : `gui/${uid}`
}
