import prettyMs from 'pretty-ms'
import { ownMember } from '../lib/own-member.ts'
import type { ActionKind, Preconditions } from '../model/action.ts'
import type { WarmUp } from '../model/applied-record.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { seenParts } from './seen-parts.ts'
import type { ServiceCase } from './service-case.ts'

/** How long a service is down, for people and as a number. */
export interface Downtime {
  readonly downtime: string
  readonly downtime_s: number | null
}

interface Interruption {
  readonly kind: ActionKind
  readonly interrupts: boolean
  readonly starts: boolean
  readonly reliesOn?: Preconditions
  /** It waits until no requests are in progress, so that none is cut off. */
  readonly waits?: boolean
}

/** The downtime of one action for its own service. All words and figures about downtime come from here. */
export function downtimeOf(subject: ServiceCase, { kind, interrupts, starts, reliesOn, waits = false }: Interruption): Downtime {
  if (!interrupts) return { downtime: 'none', downtime_s: 0 }
  if (!starts) return { downtime: kind === 'remove' ? 'for good' : 'until it is started again', downtime_s: null }
  const known = warmUpOf(subject)
  if (known === undefined)
    return {
      downtime: `never measured, ${restartsCheaply(subject.service.kind) ? 'usually seconds' : 'up to an hour'}`,
      downtime_s: null,
    }
  // An update writes a definition that was never started.
  const asMeasured = kind === 'restart' && known.definitionDigest === reliesOn?.definition_digest
  const day = known.measuredAt.slice(0, 10)
  const most = waits ? '' : mostWords(known.seconds, subject)
  return {
    downtime: `${aboutSeconds(known.seconds)}, ${asMeasured ? 'measured' : 'estimated from its start'} on ${day}${most}`,
    downtime_s: known.seconds,
  }
}

/** `, up to 1m 6s if a request has to be cut off`; empty if none can be. */
export function mostWords(seconds: number, subject: Pick<ServiceCase, 'facts' | 'service'>): string {
  const cutOff = cutOffAfter(subject)
  return cutOff === 0 ? '' : `, up to ${exactly(seconds + cutOff)} if a request has to be cut off`
}

/** When the first answer after the next start is possible, as the end of a sentence. */
export function firstAnswerWords(subject: Pick<ServiceCase, 'facts' | 'service'>): string {
  const known = warmUpOf(subject)
  return known === undefined
    ? 'can take up to an hour'
    : `takes ${aboutSeconds(known.seconds)}, as it did on ${known.measuredAt.slice(0, 10)}`
}

/** `about 12s`, `about 1h 2m`. */
export function aboutSeconds(seconds: number): string {
  return `about ${exactly(seconds)}`
}

function exactly(seconds: number): string {
  return prettyMs(Math.max(1, Math.round(seconds)) * 1000, { unitCount: 2 })
}

/** The maximum duration of a stop in seconds while requests are in progress; 0 for a server known to be idle. */
export function cutOffAfter({ facts, service }: Pick<ServiceCase, 'facts' | 'service'>): number {
  const http = ownMember(facts.http, service.name)
  const isIdle = http?.known === true && http.value.busy.known && http.value.busy.value === 0
  return isIdle ? 0 : service.stopTimeoutS
}

/** For this exact model; for Kind B the first chat counts, because a cold server answers but is not useful yet. */
export function warmUpOf(subject: Pick<ServiceCase, 'facts' | 'service'>) {
  const { service } = subject
  const warmup = recordedOf(subject)
  if (warmup === undefined) return undefined
  const seconds = warmup.completionS ?? (restartsCheaply(service.kind) ? warmup.healthyS : undefined)
  return seconds === undefined ? undefined : { seconds: Math.ceil(seconds), ...pick(warmup) }
}

/** Seconds of the first chat after its last tested start with this exact model; undefined: none is recorded. */
export function chatOf(subject: Pick<ServiceCase, 'facts' | 'service'>): number | undefined {
  const { healthyS = 0, completionS, chatS } = recordedOf(subject) ?? {}
  // Records of older versions have no more than the two moments.
  return chatS ?? (completionS === undefined ? undefined : completionS - healthyS)
}

function recordedOf({ facts, service }: Pick<ServiceCase, 'facts' | 'service'>): WarmUp | undefined {
  const warmup = facts.applied.known ? ownMember(facts.applied.value, service.name)?.warmup : undefined
  return warmup?.model === seenParts({ facts, service }, { starts: true }).model ? warmup : undefined
}

function pick({ measuredAt, definitionDigest }: { readonly measuredAt: string; readonly definitionDigest: string }) {
  return { measuredAt, definitionDigest }
}
