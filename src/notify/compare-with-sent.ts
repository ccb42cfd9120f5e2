import { defined } from '../lib/defined.ts'
import type { NotifyEvent } from '../model/fleet.ts'
import type { Alert, Change, SentAlert } from '../model/notification.ts'

/** The alerts that a target was sent, and those found now. */
export interface Comparison {
  readonly sent: readonly SentAlert[]
  /** The alerts that this run found. */
  readonly found: readonly Alert[]
  /** Whether this run checked the subject of a sent alert. */
  readonly looked: (sent: SentAlert) => boolean
  /** The events that the target subscribes to. */
  readonly on: readonly NotifyEvent[]
}

export interface ChangesToSend {
  /** New first, then changed, then gone; empty: nothing to send. */
  readonly changes: readonly Change[]
  /** The state to remember once they are sent. */
  readonly sent: readonly SentAlert[]
}

/** The maximum number of remembered alerts; any further one is sent again. */
const max = 40_000

/** What is new for a target. Pure: the caller decides whether to save `sent`. */
export function compareWithSent({ sent, found, looked, on }: Comparison): ChangesToSend {
  const before = new Map(sent.filter((one) => isOf(one, on)).map((one) => [one.id, one]))
  const now = found.filter((one) => isOf(one, on))
  const ids = new Set(now.map(({ id }) => id))
  const missing = [...before.values()].filter(({ id }) => !ids.has(id))
  const isNew = now.filter((one) => (one.stage === undefined ? !before.has(one.id) : isNewlyOver(one, before.get(one.id))))
  const changed = now.filter(
    ({ id, digest, stage }) => stage === undefined && before.has(id) && before.get(id)?.digest !== digest,
  )
  const gone = on.includes('gone') ? missing.filter((one) => one.stage === undefined && looked(one)) : []
  return {
    changes: [
      ...isNew.map((one) => changeOf('new', one, one.text)),
      ...changed.map((one) => changeOf('changed', one, one.text)),
      ...gone.map((one) => changeOf('gone', one)),
    ],
    sent: [...now.map(asSent), ...missing.filter((one) => !looked(one))].slice(0, max),
  }
}

/** A conflict is drift and a pending change at once. */
function isOf({ event }: Pick<Alert, 'event'>, on: readonly NotifyEvent[]): boolean {
  return on.includes(event) || (event === 'both' && (on.includes('drift') || on.includes('pending')))
}

function changeOf(change: Change['change'], { event, host, service, field }: Omit<SentAlert, 'stage'>, text?: string): Change {
  return { change, event, host, service, field, ...defined({ text }) }
}

/** A download that had ended when first seen is no news, unless this run started it. */
function isNewlyOver({ stage, digest }: Alert, before: SentAlert | undefined): boolean {
  if (stage === 'going' || (stage === 'over' && before === undefined)) return false
  return before?.stage !== 'over' || before.digest !== digest
}

function asSent({ text: _text, stage, ...rest }: Alert): SentAlert {
  return stage === undefined ? rest : { ...rest, stage: stage === 'going' ? 'going' : 'over' }
}
