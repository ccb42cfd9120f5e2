import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import { digestOf } from '../lib/digest.ts'
import { hostItself } from '../model/action.ts'
import type {
  DriftClass,
  DriftDocument,
  DriftFinding,
  DriftSummary,
  HostDrift,
  NotCompared,
  StaleIgnore,
} from '../model/drift.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import { factsFrom, type PlanInput } from '../plan/plan-fleet.ts'
import { planSettings } from '../plan/plan-settings.ts'
import { effectiveHost } from '../simulate/effective-host.ts'
import { fetchPlan } from '../simulate/fetch/fetch-plan.ts'
import { judgeHost } from '../simulate/fetch/judge-host.ts'
import { openCase } from '../simulate/service-case.ts'
import { setAside } from './allowlist.ts'
import { compareModels } from './compare-models.ts'
import { compareService, notComparedFor } from './compare-service.ts'
import { foreignOn } from './foreign.ts'
import { lastApplied } from './last-applied.ts'
import { overriddenStates } from './overrides.ts'
import { compareTwoWays } from './three-ways.ts'

/** Only hosts with facts are compared. */
export interface DriftInput extends Pick<PlanInput, 'fleet' | 'facts' | 'keys' | 'hubs' | 'factsFolder'> {
  /** Whether a service is compared; also called with `hostItself`, for findings about the machine. */
  readonly selects: (service: string) => boolean
  /** Whether all services of a host are compared: there is no `-s`. */
  readonly everything: boolean
  /** ISO 8601; the time of the document. */
  readonly now: string
}

/** Compares the inventory, the last apply and the hosts, field by field. Pure and synchronous. */
export function compareFleet(input: DriftInput): DriftDocument {
  const { fleet, facts, everything, now } = input
  const compared = fleet.hosts.flatMap((host) => {
    const seen = facts.get(host.name)
    return seen === undefined ? [] : [compareGuarded(input, host, seen)]
  })
  const whole = everything && compared.length === fleet.hosts.length
  const { hosts, stale } = setAside(compared, fleet.driftIgnore ?? [], { now, whole })
  const from = defined({ factsFolder: input.factsFolder })
  return documentOf({ inventory: { path: fleet.path, digest: fleet.digest }, ...from, hosts, stale, now })
}

/** The document of the findings on all hosts. */
export function documentOf({ inventory, factsFolder, hosts, stale, now }: DriftResults): DriftDocument {
  return {
    schema: 'converge/drift/v1',
    digest: digestOfFindings(hosts, stale),
    created_at: now,
    inventory,
    ...factsFrom(factsFolder, hosts),
    summary: summaryOf(hosts, stale),
    hosts,
    stale_ignores: stale,
  }
}

interface DriftResults extends Pick<DriftInput, 'factsFolder' | 'now'> {
  readonly inventory: DriftDocument['inventory']
  readonly hosts: readonly HostDrift[]
  readonly stale: readonly StaleIgnore[]
}

/** A bug on one host does not affect the others. */
function compareGuarded(input: DriftInput, host: Host, seen: HostFacts | Problem): HostDrift {
  try {
    return compareHost(input, host, seen)
  } catch (error) {
    return unseenHost(host.name, hostBug(host.name, error).toProblem())
  }
}

function compareHost(
  { fleet, keys, hubs, selects, factsFolder, now }: DriftInput,
  listed: Host,
  seen: HostFacts | Problem,
): HostDrift {
  if (!('salt' in seen)) return unseenHost(listed.name, seen)
  const host = effectiveHost(listed, seen)
  const cases = host.services.map((service) => openCase(fleet, host, service, { facts: seen, keys }))
  const services = cases.filter(({ service }) => selects(service.name)).map((one) => compareService(one, { given: [], now }))
  const judged = judgeHost(host, { facts: seen, selects: ({ name }) => selects(name), ...defined({ hubs }) })
  const models = compareModels(judged)
  const foreign = foreignOn(fleet, host, seen, cases)
  const applied = lastApplied(host, fleet.settings.org, seen)
  const settings = selects(hostItself) ? compareSettings(fleet, host, seen) : { findings: [], notCompared: [] }
  return {
    host: host.name,
    compared: true,
    ...(factsFolder === undefined ? {} : { facts_gathered_at: seen.gatheredAt }),
    ...defined({ last_applied_at: applied }),
    findings: [
      ...settings.findings,
      ...services.flatMap(({ findings }) => findings),
      ...models.findings,
      ...foreign.findings.filter(({ service }) => selects(service)),
    ],
    ignored: overriddenStates(cases.filter(({ service }) => selects(service.name))),
    not_compared: [
      ...settings.notCompared,
      ...services.flatMap(({ notCompared }) => notCompared),
      ...models.notCompared,
      ...foreign.notCompared.filter(({ service }) => selects(service)),
    ],
    two_way: services.flatMap(({ twoWay }) => twoWay ?? []),
    ...(judged.length === 0 ? {} : { fetches: judged.map(fetchPlan) }),
  }
}

/** A host without facts. */
export function unseenHost(host: string, problem: Problem): HostDrift {
  return { host, compared: false, problem, findings: [], ignored: [], not_compared: [], two_way: [] }
}

/** Settings of the machine itself are not recorded. Before the first apply, a difference is a pending change. */
function compareSettings(
  fleet: Fleet,
  host: Host,
  facts: HostFacts,
): { readonly findings: readonly DriftFinding[]; readonly notCompared: readonly NotCompared[] } {
  const { actions, held_back, refusals } = planSettings(fleet, host, facts, { given: [], now: facts.gatheredAt })
  const changes = [...actions, ...held_back].flatMap((action) => action.changes)
  const wasApplied = facts.applied.known && Object.keys(facts.applied.value).length > 0
  const note = 'settings of the machine are not recorded, so whether the inventory or the host changed is unknown'
  return {
    findings: compareTwoWays(hostItself, changes, { as: wasApplied ? 'drift' : 'pending', note }),
    notCompared: changes.length > 0 ? [] : refusals.map((refusal) => notComparedFor(hostItself, refusal)),
  }
}

function summaryOf(hosts: readonly HostDrift[], stale: readonly StaleIgnore[]): DriftSummary {
  const all = hosts.flatMap(({ findings }) => findings)
  const count = (name: DriftClass) => all.filter((one) => one.class === name).length
  return {
    hosts: hosts.length,
    drift: count('drift'),
    pending: count('pending'),
    both: count('both'),
    foreign: count('foreign'),
    ignored: hosts.flatMap(({ ignored }) => ignored).length,
    stale_ignores: stale.length,
    not_compared: hosts.flatMap((host) => host.not_compared).length,
    unreachable: hosts.filter(({ compared }) => !compared).length,
  }
}

/** A foreign process that restarted has another pid, but is not a new finding. */
function digestOfFindings(hosts: readonly HostDrift[], stale: readonly StaleIgnore[]): string {
  return digestOf([
    stale.map(({ line: _line, file: _file, ...rest }) => rest),
    hosts.map(({ host, compared, problem, findings, not_compared }) => ({
      host,
      compared,
      problem: problem?.code ?? null,
      findings: findings.map((one) => ({
        ...one,
        note: null,
        actual: one.class === 'foreign' ? null : one.actual,
      })),
      not_compared: not_compared.map(({ service, code }) => ({ service, code })),
    })),
  ])
}

/** Every class that a finding counts for: `both` is also drift and a pending change. */
export function classesOf(finding: Pick<DriftFinding, 'class'>): readonly DriftClass[] {
  return finding.class === 'both' ? ['both', 'drift', 'pending'] : [finding.class]
}
