import { InvalidArgumentError } from '@commander-js/extra-typings'
import { ConvergeError } from '../errors/converge-error.ts'
import { openEnds } from '../model/operation.ts'
import { anyDuration } from './duration.ts'
import { offering } from './offered-values.ts'

/** When a temporary state ends. */
export interface Until {
  /** As given. */
  readonly text: string
  /** ISO 8601, or an open end. Throws ConvergeError `USAGE.UNTIL` if that is not within a year. */
  readonly at: (now: Date) => string
}

const longestMs = 366 * 86_400_000

/**
 * `07:00` (the next one, local time), `2026-11-27T07:00` (local time unless it says otherwise), `90m`, `next-apply` or `revert`.
 *
 * For commander's options.
 *
 * @throws InvalidArgumentError for anything else
 */
export const until = offering(
  (text: string): Until => {
    const open = openEnds.find((end) => end === text)
    if (open !== undefined) return { text, at: () => open }
    const moment = momentOf(text)
    const at = (now: Date) => {
      const end = moment(now)
      const ahead = end.getTime() - now.getTime()
      if (ahead <= 0 || ahead > longestMs) throw notAhead(text, end, ahead <= 0)
      return end.toISOString()
    }
    return { text, at }
  },
  { values: openEnds },
)

function momentOf(text: string): (now: Date) => Date {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (clock !== null) return (now) => nextAt(now, Number(clock[1]), Number(clock[2]))
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return dateIn(text)
  const ms = durationIn(text)
  return (now) => new Date(now.getTime() + ms)
}

function dateIn(text: string): () => Date {
  const date = new Date(text.replace(' ', 'T'))
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError(forms)
  return () => date
}

function durationIn(text: string): number {
  try {
    return anyDuration(text)
  } catch {
    throw new InvalidArgumentError(forms)
  }
}

const forms = 'It has to be a time (07:00, or 2026-11-27T07:00), a duration (90m, 2d), next-apply or revert.'

/** Today or tomorrow, whichever is next. */
function nextAt(now: Date, hours: number, minutes: number): Date {
  const today = new Date(now)
  today.setHours(hours, minutes, 0, 0)
  if (today.getTime() > now.getTime()) return today
  today.setDate(today.getDate() + 1)
  return today
}

function notAhead(text: string, end: Date, hasPassed: boolean): ConvergeError {
  return new ConvergeError('USAGE.UNTIL', {
    summary: hasPassed
      ? 'The end of the temporary state has passed already.'
      : 'The end of the temporary state is more than a year ahead.',
    why: `--until ${text} means ${end.toISOString().slice(0, 16).replace('T', ' ')} UTC. Nothing was done.`,
    next: hasPassed
      ? ['Name a time that is still to come.']
      : ['Use --until revert for a state that lasts until someone ends it.'],
  })
}

export function untilHelp(keep: string): string {
  return `${keep} until then: 07:00, 2026-11-27T07:00, 90m, next-apply or revert (default: the next apply does what the inventory says)`
}

export const reasonHelp = 'why; shown in plans, reports and, with --until, in the status'
