export type ScheduleName = 'cron' | 'systemd' | 'launchd'

/** A verb that only looks, or that fetches, to be run at intervals on the controlling machine. Times are whole seconds. */
export interface ScheduledJob {
  /** Lower-case letters, digits and hyphens: part of file names, unit names and labels. */
  readonly name: string
  readonly verb: string
  readonly everyS: number
  /** A machine's own delay lies below it; 0: none. */
  readonly jitterS: number
  /** What runs longer is ended. */
  readonly limitS: number
  /** Node and converge, absolute. */
  readonly program: readonly string[]
  /** What the verb was given; paths of inventory and ssh config absolute. */
  readonly args: readonly string[]
  /** In which folder it runs, absolute. */
  readonly cwd: string
  /** Where script, log and last report lie, absolute. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Names of variables that the inventory takes secrets from; their values are in no entry. */
  readonly secrets: readonly string[]
}

/** For whom it is installed on which machine. */
export interface Account {
  readonly uid: number
  readonly home: string
  /** Where the user's own units lie, `~/.config` for most. */
  readonly configHome: string
}

export interface EntryFile {
  readonly path: string
  readonly mode: number
  readonly content: string
}

/** What a scheduler is given: files as they are to lie there, and for cron a block of the crontab. */
export interface Entry {
  readonly scheduler: ScheduleName
  readonly name: string
  readonly files: readonly EntryFile[]
  readonly crontab?: string
}

/** How a verb ends where it found something: a result, and no failure of the run. */
export const resultExits: Readonly<Record<string, readonly number[]>> = {
  drift: [2],
  fetch: [],
  plan: [2, 3],
  status: [],
  verify: [],
}

/** A verb that leaves jobs running, on this machine too where it is a host; they are no part of the run. */
export const leavesJobs: ReadonlySet<string> = new Set(['fetch'])

/** The last report in JSON; there is none while a run is at work, and after one that made none. */
export function reportPath({ folder }: Pick<ScheduledJob, 'folder'>): string {
  return `${folder}/last.json`
}

/** Where secrets come from, for who gives them in variables. */
export function environmentPath({ folder }: Pick<ScheduledJob, 'folder'>): string {
  return `${folder}/environment`
}

/** What is run, its report included. Nobody watches its progress, and where nothing else is said no mail is to be sent. */
export function commandOf(job: ScheduledJob): readonly string[] {
  return [...job.program, job.verb, '--quiet', '--format', `json=${reportPath(job)}`, ...job.args]
}

/** `1h30m`: as people and systemd read it. */
export function spanWords(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('') || '0s'
}

/** What everybody finds at the top of each file of an entry; by the first line converge knows its own. */
export function commentLines(job: ScheduledJob): readonly string[] {
  const { name, verb, everyS, secrets } = job
  return [
    markLine(name),
    `Runs \`converge ${verb}\` every ${spanWords(everyS)}. Written by \`converge schedule\`, which writes it anew or takes it away.`,
    'SSH_AUTH_SOCK is not carried over: the agent belongs to a login, and ends or moves with it. Give the run a key',
    `of its own, without a passphrase${leavesJobs.has(verb) ? '' : ' and held to looking'}: \`ansible_ssh_private_key_file\`, or IdentityFile in an ssh config.`,
    ...(secrets.length === 0 ? [] : secretLines(job)),
  ]
}

function secretLines(job: ScheduledJob): readonly string[] {
  return [
    `The inventory takes secrets from variables: ${job.secrets.join(', ')}.`,
    `Their values are not in here. Write them as NAME='value', one a line, into a file of mode 0600:`,
    environmentPath(job),
  ]
}

/** Without the comment sign of the format. */
export function markLine(name: string): string {
  return `converge: schedule ${name}`
}
