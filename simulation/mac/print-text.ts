import { startsWhenLoaded } from './agent-definition.ts'
import type { Job, LastExit } from './job.ts'

const signalWords: Readonly<Record<number, string>> = {
  1: 'Hangup: 1',
  2: 'Interrupt: 2',
  9: 'Killed: 9',
  11: 'Segmentation fault: 11',
  15: 'Terminated: 15',
}

/**
 * `launchctl print gui/UID/LABEL` of macOS 26, and of a daemon. Only lines behind one tab are the job's own: the coalitions repeat some of them. A
 * job that is held back has a line for it, and one that ended by a signal has no exit code.
 */
export function printJob(domain: string, job: Job): string {
  const { definition, pid, runs } = job
  const { label, path, arguments: argv, environment, stdoutPath, stderrPath } = definition
  const running = pid !== null
  return block(`${domain}/${label}`, [
    `active count = ${running ? 1 : 0}`,
    `path = ${path}`,
    `type = ${domain === 'system' ? 'LaunchDaemon' : 'LaunchAgent'}`,
    `state = ${job.state}`,
    '',
    `program = ${argv[0]}`,
    ...inner('arguments', argv),
    '',
    ...(stdoutPath === null ? [] : [`stdout path = ${stdoutPath}`]),
    ...(stderrPath === null ? [] : [`stderr path = ${stderrPath}`]),
    ...inner('inherited environment', ['SSH_AUTH_SOCK => /var/run/com.apple.launchd.Sim0Sim0Si/Listeners']),
    '',
    ...inner('default environment', ['PATH => /usr/bin:/bin:/usr/sbin:/sbin']),
    '',
    ...inner('environment', [
      'OSLogRateLimit => 64',
      ...Object.entries(environment).map(([name, value]) => `${name} => ${value}`),
      `XPC_SERVICE_NAME => ${label}`,
    ]),
    '',
    ...(domain === 'system' ? ['domain = system'] : [`domain = ${domain} [100020]`, 'asid = 100020']),
    `minimum runtime = ${definition.throttleS}`,
    `exit timeout = ${definition.exitTimeoutS}`,
    `runs = ${runs}`,
    ...(running ? [`pid = ${pid}`] : []),
    ...(job.reason !== null && running ? [`immediate reason = ${job.reason}`] : []),
    'forks = 0',
    `execs = ${running ? 1 : 0}`,
    'initialized = 1',
    'trampolined = 1',
    'started suspended = 0',
    'proxy started suspended = 0',
    ...(job.pended === null ? [] : [`pended nondemand spawn = ${job.pended}`]),
    lastExitLine(job.lastExit),
    '',
    ...semaphores(job),
    ...inner('resource coalition', [
      'ID = 1152',
      'type = resource',
      `state = ${running ? 'active' : 'inactive'}`,
      `active count = ${running ? 1 : 0}`,
      `name = ${label}`,
    ]),
    '',
    'spawn type = daemon (3)',
    'jetsam priority = 40',
    'jetsam memory limit (active) = (unlimited)',
    'jetsam thread limit = 32',
    'cpumon = default',
    `job state = ${jobState(job)}`,
    '',
    `properties = ${properties(job).join(' | ')}`,
  ])
}

/** One of the many services that every system has. */
export const ofSystem = { label: 'com.apple.akd', pid: 311 } as const

export function printOfSystem(): string {
  const { label, pid } = ofSystem
  return block(`system/${label}`, [
    `path = /System/Library/LaunchDaemons/${label}.plist`,
    'type = LaunchDaemon',
    'state = running',
    'domain = system',
    `pid = ${pid}`,
  ])
}

/** `launchctl print gui/UID`: what is loaded and what is disabled; a pid of 0 is none. */
export function printDomain(domain: string, jobs: ReadonlyMap<string, Job>, disabled: ReadonlyMap<string, boolean>): string {
  const services = [...jobs.values()].map(
    (job) => `${String(job.pid ?? 0).padStart(8)} ${statusOf(job.lastExit).padStart(6)} \t${job.definition.label}`,
  )
  return block(domain, [
    ...(domain === 'system'
      ? ['type = system', 'handle = 0', 'active count = 788', 'creator = launchd[1]']
      : ['type = login', 'handle = 100020', 'active count = 412', 'creator = loginwindow[412]', 'session = Aqua']),
    '',
    ...inner('services', [
      domain === 'system' ? `     ${ofSystem.pid}      - \t${ofSystem.label}` : '     646      - \tcom.apple.controlcenter',
      ...services,
    ]),
    '',
    ...inner('disabled services', disabledLines(disabled)),
  ])
}

/** `launchctl print-disabled gui/UID`, in the words of macOS 13 and newer. */
export function printDisabled(disabled: ReadonlyMap<string, boolean>): string {
  return `\n\tdisabled services = {\n${disabledLines(disabled)
    .map((line) => `\t\t${line}\n`)
    .join('')}\t}\n`
}

/** The status in the tables of `launchctl list` and of a domain: the exit code, or the negative number of a signal. */
export function statusOf(exit: LastExit): string {
  if (exit === null) return '-'
  return 'code' in exit ? String(exit.code) : String(-exit.signal)
}

function disabledLines(disabled: ReadonlyMap<string, boolean>): readonly string[] {
  return [...disabled].map(([label, off]) => `"${label}" => ${off ? 'disabled' : 'enabled'}`)
}

function lastExitLine(exit: LastExit): string {
  if (exit === null) return 'last exit code = (never exited)'
  if ('signal' in exit) return `last terminating signal = ${signalWords[exit.signal] ?? `Unknown: ${exit.signal}`}`
  return `last exit code = ${exit.code === 78 ? '78: EX_CONFIG' : exit.code}`
}

/** A KeepAlive that is a dictionary is shown nowhere else. */
function semaphores({ definition: { keepAlive } }: Job): readonly string[] {
  return typeof keepAlive === 'boolean' ? [...inner('semaphores', [`successful exit => ${keepAlive ? 1 : 0}`]), ''] : []
}

function properties({ definition }: Job): readonly string[] {
  return [
    ...(definition.keepAlive === 'always' ? ['keepalive'] : []),
    ...(startsWhenLoaded(definition) ? ['runatload'] : []),
    'inferred program',
  ]
}

function jobState({ pid, spawnFailed, runs }: Job): string {
  if (pid !== null) return 'running'
  if (spawnFailed) return 'spawn failed'
  return runs === 0 ? 'uninitialized' : 'exited'
}

function inner(name: string, lines: readonly string[]): readonly string[] {
  return [`${name} = {`, ...lines.map((line) => `\t${line}`), '}']
}

function block(name: string, lines: readonly string[]): string {
  return `${name} = {\n${lines.map((line) => (line === '' ? '\n' : `\t${line}\n`)).join('')}}\n`
}
