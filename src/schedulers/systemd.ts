import { assignment, commandLine, plainValue, type UnitSection, unitText } from '../managers/systemd/unit-text.ts'
import type { SecretText } from '../model/secret.ts'
import { redactedText } from '../model/secret.ts'
import { cronTimes } from './cron-times.ts'
import {
  type Account,
  commandOf,
  commentLines,
  type Entry,
  environmentPath,
  leavesJobs,
  reportPath,
  resultExits,
  type ScheduledJob,
  spanWords,
  timeWords,
  whenWords,
} from './job.ts'

type Directive = readonly [name: string, value: SecretText]

/** A oneshot service and its timer: system units for root, otherwise user units. */
export function systemdEntry(job: ScheduledJob, account: Account): Entry {
  const [service = '', timer = ''] = systemdFiles(job.name, job.folder, account)
  const description = ['Description', plainValue(`converge ${job.verb} ${whenWords(job)}`)] as const
  // A user's systemd has no network target.
  const network = account.uid === 0 ? directives({ Wants: 'network-online.target', After: 'network-online.target' }) : []
  return {
    scheduler: 'systemd',
    name: job.name,
    files: [
      {
        path: service,
        mode: 0o644,
        content: textOf(commentLines(job), [
          { name: 'Unit', directives: [description, ...network] },
          { name: 'Service', directives: serviceOf(job) },
        ]),
      },
      {
        path: timer,
        mode: 0o644,
        content: textOf(commentLines(job).slice(0, 2), [
          { name: 'Unit', directives: [description] },
          { name: 'Timer', directives: timerOf(job) },
          { name: 'Install', directives: directives({ WantedBy: 'timers.target' }) },
        ]),
      },
    ],
  }
}

export function systemdFiles(name: string, _folder: string, { uid, configHome }: Account): readonly string[] {
  const folder = uid === 0 ? '/etc/systemd/system' : `${configHome}/systemd/user`
  return [`${folder}/${unitOf(name)}.service`, `${folder}/${unitOf(name)}.timer`]
}

/** Without its suffix. */
export function unitOf(name: string): string {
  return `converge-schedule-${name}`
}

/** systemd does not start a running service a second time, so no lock is needed. Its output goes to the journal. */
function serviceOf(job: ScheduledJob): readonly Directive[] {
  const results = resultExits[job.verb] ?? []
  return [
    ...directives({ Type: 'oneshot', WorkingDirectory: job.cwd }),
    ...Object.entries(job.environment).map(([name, value]): Directive => ['Environment', assignment(name, value)]),
    ...directives({ EnvironmentFile: `-${environmentPath(job)}` }),
    ['ExecStartPre', commandLine(['/bin/mkdir', '-p', '-m', '0700', job.folder])],
    ['ExecStartPre', commandLine(['/bin/rm', '-f', reportPath(job)])],
    ['ExecStart', commandLine(commandOf(job))],
    // Findings are a result, not a failure of the unit.
    ...(results.length === 0 ? [] : directives({ SuccessExitStatus: results.join(' ') })),
    // For a oneshot this limits the run. `mixed` would also kill the jobs that it leaves running.
    ...directives({
      TimeoutStartSec: String(job.limitS),
      TimeoutStopSec: '30',
      KillMode: leavesJobs.has(job.verb) ? 'process' : 'mixed',
      UMask: '0022',
    }),
  ]
}

/** By calendar if possible, because only then missed runs are caught up; otherwise by interval. */
function timerOf({ verb, everyS, atS, jitterS }: ScheduledJob): readonly Directive[] {
  const calendar = atS === undefined ? calendarOf(everyS) : `*-*-* ${timeWords(atS)}:00`
  // Models that were to be switched at ten are not to be switched at breakfast.
  const persistent = String(verb !== 'use')
  return [
    ...(calendar === undefined
      ? directives({ OnActiveSec: '1m', OnUnitActiveSec: spanWords(everyS) })
      : directives({ OnCalendar: calendar, Persistent: persistent })),
    ...(jitterS === 0 ? [] : directives({ RandomizedDelaySec: spanWords(jitterS), FixedRandomDelay: 'true' })),
    ...directives({ AccuracySec: '10s' }),
  ]
}

/** The same times as in cron. */
function calendarOf(everyS: number): string | undefined {
  const fields = cronTimes(everyS)?.split(' ')
  if (fields === undefined) return undefined
  const [minute = '', hour = '', , , weekday] = fields
  return `${weekday === '0' ? 'Sun ' : ''}*-*-* ${calendarField(hour)}:${calendarField(minute)}:00`
}

function calendarField(field: string): string {
  return field.startsWith('*/') ? `0/${field.slice(2)}` : field.replace(/^\d$/, '0$&')
}

function textOf(comment: readonly string[], sections: readonly UnitSection[]): string {
  return redactedText(unitText(comment, sections))
}

function directives(values: Readonly<Record<string, string>>): readonly Directive[] {
  return Object.entries(values).map(([name, value]): Directive => [name, plainValue(value)])
}
