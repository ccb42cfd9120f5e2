import type { NotifyEvent } from './fleet.ts'

/** What `{{…}}` in a template can stand for; docs/notifications.md says what each is. */
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

/** Which look at the hosts something was found in: only the same kind of look can tell that it is gone. */
export type AlertOrigin = 'drift' | 'plan' | 'action' | 'smoke' | 'fetch' | 'host' | 'rest'

/** Something that somebody may be told of, as it stands now. */
export interface Alert {
  /** The same for the same place, whatever stands there. */
  readonly id: string
  /** The same as long as nothing about it is news. */
  readonly digest: string
  readonly origin: AlertOrigin
  readonly event: Exclude<NotifyEvent, 'gone'>
  readonly host: string
  /** `(host)` where it is about no service. */
  readonly service: string
  /** The field of a comparison, the code of a refusal, the kind of an action, the repository of a model, `smoke`. */
  readonly field: string
  /** One line for people; no secret in it. */
  readonly text: string
  /**
   * Of what is told once, when it is over, and never as gone. `going`: remembered and told to nobody. `over`: told where it was seen going, or where
   * it is another one by now. `swift`: begun and over within this run. Absent: it is told as long as it is so.
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

/** What there is to tell, before it is put into anybody's format. */
export interface Notification {
  readonly run_id: string
  readonly verb: string
  /** ISO 8601. */
  readonly at: string
  /** The last part of the inventory's path. */
  readonly inventory: string
  /** The machine that looked. */
  readonly controller: string
  /** Sent to try whether it arrives; nothing was found. */
  readonly test: boolean
  /** New first, then changed, then gone. */
  readonly changes: readonly Change[]
  /** How much is so now, of what its reader is told of. */
  readonly open: number
}

/** What came of telling somebody; stands in reports. */
export interface NotificationResult {
  /** Which one, in the words of the inventory; never an address that is a secret. */
  readonly target: string
  /** `failed`: it is tried again by the next run. */
  readonly outcome: 'sent' | 'failed'
  readonly new: number
  readonly changed: number
  readonly gone: number
  /** What was answered, or why it was not sent. */
  readonly detail: string
}
