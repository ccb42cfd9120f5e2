import type { FieldChange } from '../model/action.ts'
import type { Host } from '../model/fleet.ts'
import type { PowerFact } from '../model/mac-settings.ts'
import { known, type Observed, unknown } from '../model/observed.ts'

export type SleepTimers = NonNullable<Host['sleep']>

/** One timer for one power source. */
export interface TimerValue {
  /** `AC Power`, … */
  readonly source: string
  readonly timer: string
  readonly minutes: number
}

/** The current value of each named timer, for every power source that has it. */
export function timersNow(named: readonly string[], power: PowerFact): readonly TimerValue[] {
  return named.flatMap((timer) =>
    Object.entries(power).flatMap(([source, settings]) => {
      const minutes = settings[timer]
      return minutes === undefined ? [] : [{ source, timer, minutes }]
    }),
  )
}

/** Timers that differ from the desired value for some power source. A timer that the Mac does not report is unknown: it could never match. */
export function compareTimers(wanted: SleepTimers, power: PowerFact): Observed<readonly FieldChange[]> {
  const changes: FieldChange[] = []
  for (const [timer, minutes] of Object.entries(wanted)) {
    const now = timersNow([timer], power)
    if (now.length === 0) return unknown('unreadable', `pmset lists no ${timer}`)
    if (now.some((one) => one.minutes !== minutes))
      changes.push({ field: timer, from: valueWords(now), to: String(minutes), effect: 'none' })
  }
  return known(changes)
}

/** `10`, or `10 (AC Power), 5 (Battery Power)`. */
function valueWords(now: readonly TimerValue[]): string {
  const values = [...new Set(now.map(({ minutes }) => String(minutes)))]
  return values.length === 1 ? values.join('') : now.map(({ minutes, source }) => `${minutes} (${source})`).join(', ')
}
