import type { Location, Log, ReportingDescriptor, Result } from 'sarif'
import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import type { SourceRef } from '../model/source.ts'
import { sentence } from './finding-words.ts'
import { severities } from './severity.ts'

/** GitHub rejects a file with more; the run's notifications count the others. */
const mostResults = 5000

interface Entry {
  readonly code: string
  readonly level: 'error' | 'warning' | 'note'
  readonly summary: string
  readonly message: string
  readonly about?: string
  readonly at?: SourceRef
  /** A person settled it, with these words. */
  readonly settled?: string
}

/**
 * SARIF 2.1.0 (OASIS): all faults and doubts, each at the key of the inventory that causes it, or at its service. Levels: an error blocks, a
 * warning does not, and a note was settled by a person and is suppressed in the sense of the standard.
 */
export function renderSarif(overview: Overview): string {
  const all = [...issueEntries(overview), ...overview.hosts.flatMap(hostEntries)]
  const shown = all.slice(0, mostResults)
  const left = all.length - shown.length
  const codes = [...new Map(shown.map((one) => [one.code, one])).values()]
  const indexOf = new Map(codes.map(({ code }, index) => [code, index]))
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'converge', version: overview.version, rules: codes.map(ruleOf) } },
        invocations: [
          {
            executionSuccessful: overview.hosts.every((host) => host.reachable),
            ...defined({ endTimeUtc: overview.at }),
            ...(left === 0
              ? {}
              : { toolExecutionNotifications: [{ level: 'warning', message: { text: `${left} more results do not fit.` } }] }),
          },
        ],
        columnKind: 'utf16CodeUnits',
        results: shown.map((one) => resultOf(one, indexOf.get(one.code) ?? -1)),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function issueEntries({ issues }: Overview): readonly Entry[] {
  return issues.map(({ severity, code, message, at }) => ({ code, level: severity, summary: code, message, at }))
}

function hostEntries({ host, problem, services }: HostOverview): readonly Entry[] {
  const own: readonly Entry[] =
    problem === undefined
      ? []
      : [
          {
            code: problem.code,
            level: 'error',
            summary: problem.summary,
            message: `${host}: ${problem.summary} ${problem.why}`,
            about: host,
          },
        ]
  return [...own, ...services.flatMap((service) => serviceEntries(host, service))]
}

function serviceEntries(host: string, { service, at, findings, actions, smoke }: ServiceOverview): readonly Entry[] {
  const about = service === hostItself ? host : `${host}/${service}`
  const place = { about, ...defined({ at }) }
  const ruled = findings.map((one) => {
    // A rule has one name everywhere; a field belongs to its service.
    const [code, message] = one.values === undefined ? [one.code, one.why] : [`drift.${one.level}`, sentence(one)]
    const level = severities[one.level]
    return {
      code,
      level,
      summary: one.summary,
      message,
      ...place,
      ...defined({ at: one.at, settled: one.settled }),
    }
  })
  const failed = actions.flatMap(({ kind, result }): Entry[] => {
    const problem = result?.problem
    return result?.status !== 'failed' || problem === undefined
      ? []
      : [{ code: problem.code, level: 'error', summary: problem.summary, message: `${kind} ${about}: ${problem.why}`, ...place }]
  })
  const broken = (smoke?.checks ?? [])
    .filter((check) => !check.ok && check.skipped === undefined)
    .map(
      (check): Entry => ({
        code: `smoke.${check.name}`,
        level: 'error',
        summary: 'The server does not work.',
        message: `${about}: ${check.name}: ${check.detail}`,
        ...place,
      }),
    )
  return [...ruled, ...failed, ...broken]
}

function ruleOf({ code, summary }: Entry): ReportingDescriptor {
  return { id: code, shortDescription: { text: summary }, help: { text: `converge explain ${code}` } }
}

function resultOf({ code, level, message, about, at, settled }: Entry, ruleIndex: number): Result {
  const location: Location = {
    ...(at === undefined ? {} : { physicalLocation: physical(at) }),
    ...(about === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: about }] }),
  }
  return {
    ruleId: code,
    ruleIndex,
    level,
    message: { text: message },
    ...(Object.keys(location).length === 0 ? {} : { locations: [location] }),
    ...(settled === undefined ? {} : { suppressions: [{ kind: 'external' as const, justification: settled }] }),
    // The same finding in the next run is not new, even if its message has another pid.
    partialFingerprints: { 'convergeFinding/v1': [code, about ?? [at?.file, message].join(' ')].join(' ') },
  }
}

function physical({ file, line, column }: SourceRef): NonNullable<Location['physicalLocation']> {
  const path = file.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return {
    artifactLocation: { uri: file.startsWith('/') ? `file://${path}` : path },
    region: { startLine: line, startColumn: column },
  }
}
