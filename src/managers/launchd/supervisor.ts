import { lastLines } from '../../lib/last-lines.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LifeSign } from '../../model/life-sign.ts'
import type { LogSource, Supervisor, SupervisorReply } from '../supervisor.ts'
import { labelOf, logPath } from './definition.ts'
import { domainOf, domainWord } from './domain.ts'
import { plistFields } from './fields.ts'
import { seenAgent, seenDefinition } from './seen.ts'

/** Undefined: the home folder, which contains the log, is unknown. */
export function supervisorOf(service: Service, facts: HostFacts, org: string): Supervisor | undefined {
  const { layout } = facts
  if (!layout.known) return undefined
  return {
    life: { script: `exec launchctl print "${domainWord[domainOf(service)]}/$1"`, args: [labelOf(service, org)] },
    logs: logFiles(service, facts, org) ?? [{ in: 'file', path: logPath(service, layout.value) }],
    readLife: readAgent,
  }
}

/** The files of the loaded job and of the property list, which may be a person's. Undefined: neither was seen. */
function logFiles(service: Service, facts: HostFacts, org: string): readonly LogSource[] | undefined {
  const [agent, definition] = [seenAgent(service, facts, org), seenDefinition(service, facts, org)]
  const loaded = agent.known ? agent.value?.stdoutPath : undefined
  const fields = definition.known && definition.value !== null ? plistFields(definition.value.content) : undefined
  if (loaded === undefined && fields === undefined) return undefined
  const paths = [loaded, fields?.['StandardOutPath'], fields?.['StandardErrorPath']]
  return [...new Set(paths)].flatMap((path): readonly LogSource[] =>
    path === undefined || path === '/dev/null' ? [] : [{ in: 'file', path }],
  )
}

/**
 * `launchctl print`: an undocumented format; only lines of the outermost block (one tab) are read. 113: not loaded; 112 and 125 only mean
 * that this session has no access. A job that waits for its next spawn is neither alive nor dead.
 */
export function readAgent({ exitCode, stdout, stderr }: SupervisorReply): LifeSign {
  if (exitCode === 113) return { state: 'dead', detail: 'not loaded' }
  const field = (name: string) => new RegExp(`^\\t${name} = (.*)$`, 'm').exec(stdout)?.[1]
  const state = field('state')
  if (exitCode !== 0 || state === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  const runs = Number(field('runs') ?? Number.NaN)
  // The first run is not a restart.
  const counted = Number.isNaN(runs) ? {} : { restarts: Math.max(0, runs - 1) }
  if (field('pid') !== undefined) return { state: 'alive', detail: state, ...counted }
  const ended = field('last exit code') ?? field('last terminating signal') ?? field('last exit reason') ?? 'unknown'
  return { state: state === 'not running' ? 'dead' : 'unknown', detail: `${state}, last exit: ${ended}`, ...counted }
}
