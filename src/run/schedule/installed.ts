import { existsSync } from 'node:fs'
import type { Context } from '../../context/context.ts'
import { schedulers } from '../../schedulers/index.ts'
import { type Account, type Entry, environmentPath, type ScheduledJob, type ScheduleName } from '../../schedulers/job.ts'
import { openStateFolder } from '../../state/state-folder.ts'
import { installAgent, removeAgent } from './launch-agent.ts'
import { checkName, scheduleFolder } from './schedule-place.ts'
import { installTimer, removeTimer } from './systemd-timer.ts'
import { installInCrontab, removeFromCrontab } from './user-crontab.ts'

/** @returns what is worth knowing about it */
export async function install(context: Context, entry: Entry, account: Account): Promise<readonly string[]> {
  await openStateFolder(context, `schedule/${entry.name}`)
  if (entry.scheduler === 'systemd') return installTimer(entry, account)
  if (entry.scheduler === 'launchd') await installAgent(entry, account)
  else await installInCrontab(entry)
  return []
}

/** @returns what was there and is gone; empty where there was nothing */
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

/** What a schedule that is gone leaves: it may hold secrets. */
export function remainsNotes(context: Context, name: string): readonly string[] {
  const folder = scheduleFolder(context, name)
  return existsSync(folder) ? [`Its log, its last report and its environment stay, if it had any: ${folder}`] : []
}

/** Which secrets the run will not have unless somebody gives them. */
export function secretNotes(job: ScheduledJob): readonly string[] {
  if (job.secrets.length === 0 || existsSync(environmentPath(job))) return []
  return [`The inventory takes secrets from ${job.secrets.join(', ')}: give their values in ${environmentPath(job)} (mode 0600).`]
}
