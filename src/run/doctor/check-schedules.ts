import { readdir, stat } from 'node:fs/promises'
import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import type { Check } from '../../model/doctor-document.ts'
import { blockNames } from '../../schedulers/crontab.ts'
import { type Account, reportPath, type ScheduleName } from '../../schedulers/job.ts'
import { labelOf, plistPath } from '../../schedulers/launchd.ts'
import { systemdFiles, unitOf } from '../../schedulers/systemd.ts'
import { readCrontab } from '../schedule/read-crontab.ts'
import { scheduleFolder } from '../schedule/schedule-place.ts'
import { note, ok } from './check.ts'

type Installed = readonly [name: string, scheduler: ScheduleName]

/** What `converge schedule` installed for this account, and when each last wrote a report. */
export async function checkSchedules(context: Context, account: Account): Promise<Check> {
  const [crontab, timers, agents] = await Promise.all([cronNames(), timerNames(account), agentNames(account)])
  const installed: readonly Installed[] = [
    ...(crontab.names ?? []).map((name) => [name, 'cron'] as const),
    ...timers.map((name) => [name, 'systemd'] as const),
    ...agents.map((name) => [name, 'launchd'] as const),
  ]
  const words = await Promise.all(installed.map((one) => wordsOf(context, one)))
  const found = words.length === 0 ? 'none installed' : words.join('; ')
  return crontab.why === undefined
    ? ok('schedules', found)
    : note('schedules', `${found}; those of cron are unknown: ${crontab.why}`)
}

async function wordsOf(context: Context, [name, scheduler]: Installed): Promise<string> {
  const report = await stat(reportPath({ folder: scheduleFolder(context, name) })).catch(() => undefined)
  const last =
    report === undefined ? 'no report yet' : `last report ${report.mtime.toISOString().slice(0, 16).replace('T', ' ')}Z`
  return `${name} (${scheduler}, ${last})`
}

async function cronNames(): Promise<{ readonly names?: readonly string[]; readonly why?: string }> {
  try {
    return { names: blockNames(await readCrontab('')) }
  } catch (error) {
    if (error instanceof ConvergeError) return { why: error.why }
    throw error
  }
}

/** An account's own names lie in one folder; `*` stands for what differs. */
function timerNames(account: Account): Promise<readonly string[]> {
  return namesLike(systemdFiles('*', '', account)[1] ?? '', `${unitOf('*')}.timer`)
}

function agentNames(account: Account): Promise<readonly string[]> {
  return namesLike(plistPath('*', account), `${labelOf('*')}.plist`)
}

/** @param path of a file whose name is `pattern` */
async function namesLike(path: string, pattern: string): Promise<readonly string[]> {
  const [before = '', after = ''] = pattern.split('*')
  const names = await readdir(path.slice(0, -pattern.length)).catch(() => [])
  return names
    .filter((name) => name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length)
    .map((name) => name.slice(before.length, -after.length))
    .toSorted()
}
