import { counted } from '../lib/counted.ts'
import type { MemoryFact } from '../model/memory-fact.ts'
import type { Observed } from '../model/observed.ts'
import type { Problem } from '../model/plan.ts'
import type { ServerLoad } from '../servers/http-dialect.ts'
import { isAsWanted, type ServiceStatus } from './status-text.ts'

/** One service of `converge status --watch --json`. `null`: unknown, or none. */
export interface LiveService extends ServiceStatus {
  /** Requests that it works on or that wait. */
  readonly busy: number | null
  /** How many it can work on at a time. */
  readonly slots: number | null
  readonly tokensPerS: number | null
  /** Memory of its processes, pages of the model's files included. */
  readonly residentBytes: number | null
  /** Its RAM budget, else the memory of the host. */
  readonly limitBytes: number | null
  /** Seconds since its process started. */
  readonly upS: number | null
}

export interface LiveHost {
  readonly host: string
  /** When the rows were observed; ISO 8601. Null: not yet. */
  readonly seenAt: string | null
  /** Why there is nothing newer. */
  readonly problem: Problem | null
  /** ISO 8601; null: a look is under way or due. */
  readonly nextTryAt: string | null
  readonly usedBytes: number | null
  readonly totalBytes: number | null
  readonly services: readonly LiveService[]
}

/** One look of `converge status --watch`. */
export interface LiveLook {
  /** ISO 8601. */
  readonly at: string
  readonly hosts: readonly LiveHost[]
}

/** What is measured beside the status. */
export interface LiveFigures {
  readonly load: ServerLoad | undefined
  readonly tokensPerS: number | null
  readonly residentBytes: number | null
  readonly limitBytes: number | null
  readonly upS: number | null
}

export function liveService(status: ServiceStatus, { load, ...figures }: LiveFigures): LiveService {
  return { ...status, busy: load?.busy ?? null, slots: load?.slots ?? null, ...figures }
}

/** Not looked at yet, or not for a while. */
export function notLive(status: ServiceStatus): LiveService {
  return liveService(status, { load: undefined, tokensPerS: null, residentBytes: null, limitBytes: null, upS: null })
}

export function hostMemory(memory: Observed<MemoryFact> | undefined): Pick<LiveHost, 'usedBytes' | 'totalBytes'> {
  if (memory?.known !== true) return { usedBytes: null, totalBytes: null }
  const total = limitOf(memory.value)
  return { usedBytes: Math.max(0, total - memory.value.availableBytes), totalBytes: total }
}

/** What a server on the host can use at most. */
export function limitOf({ totalBytes, cgroupLimitBytes }: MemoryFact): number {
  return Math.min(totalBytes, cgroupLimitBytes ?? totalBytes)
}

/** One line of `converge status --watch --json`. */
export function liveDocument({ at, hosts }: LiveLook) {
  return {
    schema: 'converge/status/v1',
    at,
    hosts: hosts.map(withoutServices),
    services: hosts.flatMap(({ services }) => services),
  }
}

function withoutServices({ host, seenAt, problem, nextTryAt, usedBytes, totalBytes }: LiveHost) {
  return { host, seenAt, problem, nextTryAt, usedBytes, totalBytes }
}

/** A running server by what it answers, any other by its state. */
export function stateWord({ state, health }: ServiceStatus): string {
  return state === 'running' && health !== null ? health : state
}

export type Mood = 'good' | 'waiting' | 'bad' | 'off'

export function moodOf(service: ServiceStatus): Mood {
  const { state, health } = service
  if (state === 'failed' || state === 'unreachable' || health === 'failing') return 'bad'
  if (state === 'running' && health === 'ready') return isAsWanted(service) ? 'good' : 'waiting'
  if ((state === 'stopped' || state === 'not-loaded') && isAsWanted(service)) return 'off'
  return 'waiting'
}

/** `30 services on 10 hosts: 27 ready, 2 stopped, 1 old; 1 host not observed` */
export function summaryOf({ hosts }: LiveLook): string {
  const services = hosts.flatMap((host) => host.services.map((one) => (host.problem === null ? stateWord(one) : 'old')))
  const words = [...Map.groupBy(services, (word) => word)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([word, of]) => `${of.length} ${word}`)
  const lost = hosts.filter(({ problem }) => problem !== null).length
  const all = `${counted(services.length, 'service')} on ${counted(hosts.length, 'host')}`
  return `${all}${words.length === 0 ? '' : `: ${words.join(', ')}`}${lost === 0 ? '' : `; ${counted(lost, 'host')} not observed`}`
}
