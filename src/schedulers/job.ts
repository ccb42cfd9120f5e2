export type ScheduleName = 'cron' | 'systemd' | 'launchd'

/** A read-only verb, `fetch` or `use`, to run at intervals on the controlling machine. Times are whole seconds. */
export interface ScheduledJob {
  /** Lower-case letters, digits and hyphens: part of file names, unit names and labels. */
  readonly name: string
  readonly verb: string
  readonly everyS: number
  /** Seconds after midnight, local time, for a run each day. Absent: no certain time of day. */
  readonly atS?: number
  /** The machine's fixed delay is below this; 0: none. */
  readonly jitterS: number
  /** A longer run is killed. */
  readonly limitS: number
  /** Node and converge, absolute. */
  readonly program: readonly string[]
  /** The arguments of the verb; paths of inventory and ssh config are absolute. */
  readonly args: readonly string[]
  /** The working directory, absolute. */
  readonly cwd: string
  /** The folder of script, log and last report, absolute. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Names of variables that the inventory reads secrets from; no entry contains their values. */
  readonly secrets: readonly string[]
}

/** The account that the entry is installed for. */
export interface Account {
  readonly uid: number
  readonly home: string
  /** The folder of the user's configuration, usually `~/.config`. */
  readonly configHome: string
}

export interface EntryFile {
  readonly path: string
  readonly mode: number
  readonly content: string
}

/** The input of a scheduler: files, and for cron a block of the crontab. */
export interface Entry {
  readonly scheduler: ScheduleName
  readonly name: string
  readonly files: readonly EntryFile[]
  readonly crontab?: string
}

/** Exit codes that report findings: a result, not a failure. */
export const resultExits: Readonly<Record<string, readonly number[]>> = {
  drift: [2],
  fetch: [],
  plan: [2, 3],
  status: [],
  use: [],
  verify: [],
}

/** Verbs that need a login that may change the hosts. */
export const actsOnHosts: ReadonlySet<string> = new Set(['fetch', 'use'])

/** Verbs that leave jobs running, also on this machine if it is a host; the jobs are not part of the run. */
export const leavesJobs: ReadonlySet<string> = new Set(['fetch'])

/** The last report in JSON; missing during a run, and after a run without a report. */
export function reportPath({ folder }: Pick<ScheduledJob, 'folder'>): string {
  return `${folder}/last.json`
}

/** The file with values of secret variables. */
export function environmentPath({ folder }: Pick<ScheduledJob, 'folder'>): string {
  return `${folder}/environment`
}

/** The command line. It is quiet and writes a report: nothing should be mailed without a reason. */
export function commandOf(job: ScheduledJob): readonly string[] {
  return [...job.program, job.verb, '--quiet', '--format', `json=${reportPath(job)}`, ...job.args]
}

/** `every 1h`, `every day at 22:00`. */
export function whenWords({ everyS, atS }: Pick<ScheduledJob, 'everyS' | 'atS'>): string {
  return atS === undefined ? `every ${spanWords(everyS)}` : `every day at ${timeWords(atS)}`
}

/** `22:00` */
export function timeWords(atS: number): string {
  return [Math.floor(atS / 3600), Math.floor(atS / 60) % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** `1h30m`: for people and systemd. */
export function spanWords(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('') || '0s'
}

/** The comment at the top of each file of an entry; converge recognises its files by the first line. */
export function commentLines(job: ScheduledJob): readonly string[] {
  const { name, verb, secrets } = job
  return [
    markLine(name),
    `Runs \`converge ${verb}\` ${whenWords(job)}. Written by \`converge schedule\`, which replaces or removes it.`,
    'SSH_AUTH_SOCK is not passed on: the agent belongs to a login session and ends with it. Give the run its own',
    `${actsOnHosts.has(verb) ? '' : 'read-only '}key without a passphrase: \`ansible_ssh_private_key_file\`, or IdentityFile in an ssh config.`,
    ...(secrets.length === 0 ? [] : secretLines(job)),
  ]
}

function secretLines(job: ScheduledJob): readonly string[] {
  return [
    `The inventory reads secrets from variables: ${job.secrets.join(', ')}.`,
    `This file does not contain their values. Write them as NAME='value', one per line, into a file of mode 0600:`,
    environmentPath(job),
  ]
}

/** Without the comment sign of the format. */
export function markLine(name: string): string {
  return `converge: schedule ${name}`
}
