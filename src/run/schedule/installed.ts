import { existsSync } from 'node:fs'
import type { Context } from '../../context/context.ts'
import { schedulers } from '../../schedulers/index.ts'
import { type Account, type Entry, environmentPath, type ScheduledJob, type ScheduleName } from '../../schedulers/job.ts'
import { openStateFolder } from '../../state/state-folder.ts'
import { installAgent, removeAgent } from './launch-agent.ts'
import { checkName, scheduleFolder } from './schedule-place.ts'
import { installTimer, removeTimer } from './systemd-timer.ts'
import { installInCrontab, removeFromCrontab } from './user-crontab.ts'

/** @returns notes for the user */
export async function install(context: Context, entry: Entry, account: Account): Promise<readonly string[]> {
  await openStateFolder(context, `schedule/${entry.name}`)
  if (entry.scheduler === 'systemd') return installTimer(entry, account)
  if (entry.scheduler === 'launchd') await installAgent(entry, account)
  else await installInCrontab(entry)
  return []
}

/** @returns what was removed; empty: nothing */
export async function remove(
  context: Context,
  scheduler: ScheduleName,
  { name, account }: { readonly name: string; readonly account: Account },
): Promise<readonly string[]> {
  const paths = schedulers[scheduler].files(checkName(name), scheduleFolder(context, name), account)
  if (scheduler === 'systemd') return removeTimer(name, paths, account)
  if (scheduler === 'launchd') return removeAgent(name, paths, account)
  return removeFromCrontab(name, paths)
}

/** What a removed schedule leaves behind; it may contain secrets. */
export function remainsNotes(context: Context, name: string): readonly string[] {
  const folder = scheduleFolder(context, name)
  return existsSync(folder) ? [`Its log, last report and environment file stay, if any: ${folder}`] : []
}

/** Secrets that must be provided for the scheduled run. */
export function secretNotes(job: ScheduledJob): readonly string[] {
  if (job.secrets.length === 0 || existsSync(environmentPath(job))) return []
  return [`The inventory reads secrets from ${job.secrets.join(', ')}: set them in ${environmentPath(job)} (mode 0600).`]
}
