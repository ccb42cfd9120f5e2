import { momentMs } from '../lib/moment.ts'
import { hostItself } from '../model/action.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'

type Labels = Readonly<Record<string, string>>

interface Metric {
  readonly name: string
  readonly help: string
  readonly samples: (overview: Overview) => Samples
}

type Samples = readonly { readonly labels: Labels; readonly value: number }[]

/** Verbs that plan nothing. */
const planless: ReadonlySet<string> = new Set(['facts', 'hosts'])

/** In the order in which they are written. */
const metrics: readonly Metric[] = [
  {
    name: 'converge_last_run_timestamp_seconds',
    help: 'When converge last gathered facts, by the clock of the machine it ran on.',
    samples: ({ at }) => (at === undefined ? [] : [{ labels: {}, value: momentMs(at) / 1000 }]),
  },
  {
    name: 'converge_host_reachable',
    help: 'Whether the host could be reached.',
    samples: ({ at, hosts }) =>
      at === undefined ? [] : hosts.map((one) => ({ labels: { host: one.host }, value: Number(one.reachable) })),
  },
  {
    name: 'converge_services',
    help: 'Services by their state.',
    // Facts are no services.
    samples: ({ verb, hosts }) => (verb === 'facts' ? [] : hosts.flatMap(servicesByState)),
  },
  {
    name: 'converge_drift_findings',
    help: 'Findings of a comparison, by class; 0 where the host is as applied and as wanted.',
    samples: ({ verb, hosts }) => (verb === 'drift' ? hosts.flatMap(driftOf) : []),
  },
  {
    name: 'converge_last_apply_timestamp_seconds',
    help: 'When anything of the fleet was last applied to the host, by the records on it.',
    samples: ({ hosts }) =>
      hosts.flatMap(({ host, appliedAt }) =>
        appliedAt === undefined ? [] : [{ labels: { host }, value: momentMs(appliedAt) / 1000 }],
      ),
  },
  {
    name: 'converge_changes',
    help: 'Planned actions.',
    samples: ({ verb, hosts }) => (planless.has(verb) ? [] : hosts.flatMap(changesOf)),
  },
  {
    name: 'converge_findings',
    help: 'Findings of rules and comparisons, by level and code; the code of a comparison is the field.',
    samples: ({ hosts }) => hosts.flatMap(findingsOf),
  },
  {
    name: 'converge_actions_failed',
    help: 'Actions of the last run that failed.',
    samples: ({ hosts }) => hosts.flatMap(failuresOf),
  },
  {
    name: 'converge_service_works',
    help: 'Whether the last smoke test of the service passed.',
    samples: ({ hosts }) => each(hosts, worksOf),
  },
  {
    name: 'converge_smoke_duration_seconds',
    help: 'How long the checks of the last smoke test took.',
    samples: ({ hosts }) => each(hosts, durationsOf),
  },
  {
    name: 'converge_inventory_issues',
    help: 'Mistakes and doubts in the files of the inventory.',
    samples: ({ issues }) =>
      (['error', 'warning'] as const).map((severity) => ({
        labels: { severity },
        value: issues.filter((issue) => issue.severity === severity).length,
      })),
  },
]

/**
 * Prometheus' text format, for node_exporter's textfile collector. Times are Unix seconds, so the age of a file that is no longer written
 * grows.
 */
export function renderPrometheus(overview: Overview): string {
  return metrics.map((metric) => renderMetric(metric, metric.samples(overview), overview.verb)).join('')
}

function each(hosts: readonly HostOverview[], samples: (host: string, service: ServiceOverview) => Samples): Samples {
  return hosts.flatMap((host) =>
    host.services.filter((one) => one.service !== hostItself).flatMap((service) => samples(host.host, service)),
  )
}

function servicesByState({ host, services }: HostOverview): Samples {
  const named = services.filter(({ service }) => service !== hostItself)
  return [...Map.groupBy(named, ({ state }) => state)].map(([state, of]) => ({ labels: { host, state }, value: of.length }))
}

/** Zeros too: for an alarm, a missing series is not a zero. */
function driftOf({ host, reachable, services }: HostOverview): Samples {
  if (!reachable) return []
  const levels = services.flatMap(({ findings }) => findings.map(({ level }) => level))
  return (['drift', 'pending', 'both', 'foreign', 'ignored', 'not compared'] as const).map((level) => ({
    labels: { host, class: level.replace(' ', '_') },
    value: levels.filter((one) => one === level).length,
  }))
}

function changesOf({ host, reachable, services }: HostOverview): Samples {
  return reachable ? [{ labels: { host }, value: services.reduce((sum, { actions }) => sum + actions.length, 0) }] : []
}

function findingsOf({ host, services }: HostOverview): Samples {
  const all = services.flatMap(({ findings }) => findings)
  return [...Map.groupBy(all, ({ level, code }) => JSON.stringify([level, code])).values()].flatMap((of) => {
    const [first] = of
    return first === undefined ? [] : [{ labels: { host, level: first.level, code: first.code }, value: of.length }]
  })
}

function failuresOf({ host, services }: HostOverview): Samples {
  const results = services.flatMap(({ actions }) => actions).flatMap(({ result }) => (result === undefined ? [] : [result]))
  return results.length === 0 ? [] : [{ labels: { host }, value: results.filter(({ status }) => status === 'failed').length }]
}

function worksOf(host: string, { service, smoke }: ServiceOverview): Samples {
  return smoke === undefined ? [] : [{ labels: { host, service }, value: Number(smoke.ok) }]
}

function durationsOf(host: string, { service, smoke }: ServiceOverview): Samples {
  const ran = (smoke?.checks ?? []).filter(({ skipped }) => skipped === undefined)
  return ran.map(({ name, ms }) => ({ labels: { host, service, check: name }, value: ms / 1000 }))
}

/** Each with its verb: the collector reads the files of all verbs from one folder and drops duplicates. */
function renderMetric({ name, help }: Metric, samples: Samples, verb: string): string {
  if (samples.length === 0) return ''
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...samples.map((one) => `${name}${renderLabels({ verb, ...one.labels })} ${one.value}`),
    '',
  ].join('\n')
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
