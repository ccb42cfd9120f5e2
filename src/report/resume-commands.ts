import { converge } from '../lib/next-command.ts'
import type { HostReport, RunReport } from '../model/report.ts'
import { unsettledIn } from './unsettled.ts'

/** The command that finishes an interrupted run. */
export interface ResumeCommand {
  readonly words: readonly string[]
  /** What it does, in a few words. */
  readonly does: string
  /** The hosts of that run. */
  readonly hosts: readonly string[]
}

/** One for each unfinished run of the report: each is resumed on its own. */
export function resumeCommands(report: RunReport): readonly ResumeCommand[] {
  return runsOf(report).flatMap((run) => {
    const unsettled = unsettledIn(run).length > 0
    if (!isInterrupted(run) && !unsettled) return []
    const does = unsettled ? 'checks what is running, then finishes the run' : 'finishes and verifies the run'
    return [{ words: ['resume', run.run_id], does, hosts: run.hosts.map(({ host }) => host) }]
  })
}

/** Interrupted and unfinished. */
export function isInterrupted({ exit_code, verb, hosts }: RunReport): boolean {
  return exit_code === 130 && verb !== 'verify' && hosts.some(isUnfinished)
}

/** The next step of an interrupted run is to resume it, whatever its problems suggest. */
export function withResumeAsNext(report: RunReport): RunReport {
  const interrupted = new Set(runsOf(report).flatMap((run) => (isInterrupted(run) ? run.hosts.map(({ host }) => host) : [])))
  if (interrupted.size === 0) return report
  const commands = resumeCommands(report)
  return { ...report, hosts: report.hosts.map((host) => (interrupted.has(host.host) ? resumedNext(host, commands) : host)) }
}

function resumedNext(host: HostReport, commands: readonly ResumeCommand[]): HostReport {
  const next = commands.flatMap(({ words, hosts }) => (hosts.includes(host.host) ? [converge(words)] : []))
  const { problem, actions } = host
  return {
    ...host,
    ...(problem === undefined ? {} : { problem: { ...problem, next } }),
    actions: actions.map((one) => (one.problem === undefined ? one : { ...one, problem: { ...one.problem, next } })),
  }
}

/** A merged report has several. */
export function runsOf(report: RunReport): readonly RunReport[] {
  const { parts } = report
  return parts === undefined
    ? [report]
    : parts.map((part) => ({ ...report, ...part, hosts: report.hosts.filter(({ host }) => part.hosts.includes(host)) }))
}

function isUnfinished({ reachable, problem, actions, smoke }: HostReport): boolean {
  const undone = actions.some(({ status }) => status === 'failed' || status === 'not-run')
  return !reachable || problem !== undefined || undone || smoke.some(({ ok }) => !ok)
}
