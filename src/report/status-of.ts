import { ownMember } from '../lib/own-member.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { HttpFact } from '../model/http-fact.ts'
import type { Observed } from '../model/observed.ts'
import type { Problem } from '../model/plan.ts'
import type { RunningVersion } from '../plan/running-version.ts'
import { overrideWords, untilWords } from '../policy/override-words.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { recordedOverride } from '../simulate/effective-host.ts'
import { rollbackTimerWords } from './rollback-timer-words.ts'
import type { ServiceStatus } from './status-text.ts'

const noVersion = { version: null, image: null } as const

/** A service on a reachable host. */
export function statusOf(
  service: Service,
  facts: HostFacts,
  state: Observed<ServiceState>,
  { version, image, notes: versionNotes }: RunningVersion = { ...noVersion, notes: [] },
): ServiceStatus {
  const guards = [...versionNotes, ...guardNotes(service, facts)]
  if (!state.known) {
    const notes = [state.detail ?? state.because, ...overrideNotes(service, facts), ...guards]
    return { ...wanted(service), ...noVersion, state: 'unknown', pid: null, warm: null, health: null, notes }
  }
  const { activity, process } = state.value
  const seen = { ...wanted(service), version, image, state: activity, pid: process?.pid ?? null }
  const notes = [...overrideNotes(service, facts), ...state.value.notes, ...guards]
  if (activity !== 'running') return { ...seen, warm: activity === 'paused' ? 'unknown' : null, health: null, notes }
  const http = ownMember(facts.http, service.name)
  const running = { ...seen, warm: warmth(service, http), health: health(http) }
  const port = http?.known === true ? http.value.port : undefined
  return port === undefined ? { ...running, notes } : { ...running, port, notes: [`wanted on port ${service.port}`, ...notes] }
}

/** Why `wanted` is not what the inventory says. */
function overrideNotes(service: Service, facts: HostFacts): readonly string[] {
  const { override } = service
  return override === undefined
    ? endedNotes(service, facts)
    : [
        `kept ${override.state} ${untilWords(override)} (${override.by}${override.reason === undefined ? '' : `: ${override.reason}`}); inventory: ${override.inventory}`,
      ]
}

/** An override that has ended: nothing has brought the service back to its state in the inventory so far. */
function endedNotes(service: Service, facts: HostFacts): readonly string[] {
  const ended = recordedOverride(service, facts)
  if (ended === undefined || ended.state === service.state) return []
  const verb = service.state === 'running' ? 'starts' : 'stops'
  return [`was kept ${overrideWords(ended)}; that has ended, and the next apply ${verb} it`]
}

/** What its rollback timer does, or did. */
function guardNotes({ name }: Service, { rollbackTimers }: HostFacts): readonly string[] {
  return rollbackTimers.known ? rollbackTimers.value.filter(({ service }) => service === name).map(rollbackTimerWords) : []
}

export function unreachableStatus(service: Service, problem: Problem | undefined): ServiceStatus {
  const notes = problem === undefined ? [] : [problem.summary]
  return { ...wanted(service), ...noVersion, state: 'unreachable', pid: null, warm: null, health: null, notes }
}

function wanted({ host, name, kind, manager, state, port }: Service) {
  return { host, service: name, kind, manager, wanted: state, port }
}

/** A kind that restarts cheaply is warm once it is ready. Any other is warm after its first completion; without a count that is unknown. */
function warmth(service: Service, http: Observed<HttpFact> | undefined): ServiceStatus['warm'] {
  if (http?.known !== true) return 'unknown'
  if (restartsCheaply(service.kind)) return http.value.health.status === 200 ? 'warm' : 'cold'
  if (!http.value.completed.known) return 'unknown'
  return http.value.completed.value > 0 ? 'warm' : 'cold'
}

function health(http: Observed<HttpFact> | undefined): ServiceStatus['health'] {
  if (http === undefined) return 'no-answer'
  if (!http.known) return http.because === 'not-gathered' ? 'no-answer' : 'unknown'
  const { status } = http.value.health
  if (status === 200) return 'ready'
  return status === 503 || status === 0 ? 'loading' : 'failing'
}
