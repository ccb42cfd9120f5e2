import type { NotifyEvent } from './fleet.ts'

/** Placeholders for `{{…}}` in a template, documented in docs/notifications.md. */
export const placeholders = [
  'inventory',
  'verb',
  'run',
  'time',
  'controller',
  'counts',
  'new',
  'changed',
  'gone',
  'open',
  'hosts',
  'findings',
] as const

export type Placeholder = (typeof placeholders)[number]

/** The kind of observation behind an alert: only the same kind can determine that it is gone. */
export type AlertOrigin = 'drift' | 'plan' | 'action' | 'smoke' | 'fetch' | 'host' | 'rest'

/** A finding to notify of, in its current state. */
export interface Alert {
  /** Stable for the same subject, whatever its state. */
  readonly id: string
  /** Changes when the alert has news. */
  readonly digest: string
  readonly origin: AlertOrigin
  readonly event: Exclude<NotifyEvent, 'gone'>
  readonly host: string
  /** `(host)` if it is about no service. */
  readonly service: string
  /** The field of a comparison, the code of a refusal, the kind of an action, the repository of a model, `smoke`. */
  readonly field: string
  /** One line for people, without secrets. */
  readonly text: string
  /**
   * For alerts that are sent once, at the end, and never as gone. `going`: remembered but not sent. `over`: sent if it was observed going, or if it
   * is another one now. `swift`: started and ended within this run. Absent: sent as long as it is true.
   */
  readonly stage?: 'going' | 'over' | 'swift'
}

/** An alert as it was sent. */
export interface SentAlert extends Omit<Alert, 'text' | 'stage'> {
  readonly stage?: 'going' | 'over'
}

export interface Change {
  readonly change: 'new' | 'changed' | 'gone'
  readonly event: Alert['event']
  readonly host: string
  readonly service: string
  readonly field: string
  /** Absent for what is gone. */
  readonly text?: string
}

/** The content of a notification, before it is formatted. */
export interface Notification {
  readonly run_id: string
  readonly verb: string
  /** ISO 8601. */
  readonly at: string
  /** The last part of the inventory's path. */
  readonly inventory: string
  /** The observing machine. */
  readonly controller: string
  /** A test message without findings. */
  readonly test: boolean
  /** New first, then changed, then gone. */
  readonly changes: readonly Change[]
  /** Number of open alerts for its recipient. */
  readonly open: number
}

/** The result of sending a notification; part of reports. */
export interface NotificationResult {
  /** The target in the words of the inventory; never a secret address. */
  readonly target: string
  /** `failed`: the next run tries again. */
  readonly outcome: 'sent' | 'failed'
  readonly new: number
  readonly changed: number
  readonly gone: number
  /** The answer, or why it was not sent. */
  readonly detail: string
}
