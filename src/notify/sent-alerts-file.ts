import { isObject, parseObject } from '../lib/json-object.ts'
import type { NotifyEvent } from '../model/fleet.ts'
import type { AlertOrigin, SentAlert } from '../model/notification.ts'

/** The alerts that a target was last sent, as kept between runs. */
export interface SentAlertsFile {
  readonly schema: 'converge/sent-alerts/v1'
  /** ISO 8601, by the clock of the sending machine. */
  readonly at: string
  /** The target, for people who read the file. */
  readonly target: string
  readonly sent: readonly SentAlert[]
}

export function sentAlertsText(file: SentAlertsFile): string {
  return `${JSON.stringify(file)}\n`
}

/** Undefined: not written by converge, or truncated. */
export function parseSentAlerts(text: string): SentAlertsFile | undefined {
  const file = parseObject(text)
  if (file?.['schema'] !== 'converge/sent-alerts/v1' || typeof file['at'] !== 'string' || Number.isNaN(Date.parse(file['at'])))
    return undefined
  const { at, target, sent } = file
  if (!Array.isArray(sent) || !sent.every(isSentAlert)) return undefined
  return { schema: 'converge/sent-alerts/v1', at, target: String(target), sent }
}

/**
 * For a state from a clock ahead of ours, whose order is unknown: all findings count as not sent, and alerts that are gone are
 * still reported as gone.
 */
export function doubtSent(sent: readonly SentAlert[]): readonly SentAlert[] {
  return sent.map((one) => ({ ...one, digest: '' }))
}

const origins: Readonly<Record<AlertOrigin, true>> = {
  drift: true,
  plan: true,
  action: true,
  smoke: true,
  fetch: true,
  host: true,
  rest: true,
}
const events: Readonly<Record<Exclude<NotifyEvent, 'gone'>, true>> = {
  drift: true,
  pending: true,
  both: true,
  foreign: true,
  refused: true,
  failed: true,
  fetched: true,
  unreachable: true,
}
const texts = ['id', 'digest', 'host', 'service', 'field']

function isSentAlert(value: unknown): value is SentAlert {
  if (!isObject(value)) return false
  const { origin, event, stage } = value
  if (stage !== undefined && stage !== 'going' && stage !== 'over') return false
  if (typeof origin !== 'string' || !Object.hasOwn(origins, origin)) return false
  if (typeof event !== 'string' || !Object.hasOwn(events, event)) return false
  return texts.every((name) => typeof value[name] === 'string')
}
