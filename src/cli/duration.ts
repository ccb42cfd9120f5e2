import { InvalidArgumentError } from '@commander-js/extra-typings'
import ms from 'ms'

/** Node's timers cannot wait for more than some 24 days: they would not wait at all. */
const longest = ms('7d') ?? 0

/**
 * How long, as people write it: `90s`, `5m`, `1h30m`; for commander's options. Zero is a duration too.
 *
 * @returns milliseconds
 * @throws InvalidArgumentError for a number without a unit, for what is no number, and for more than a week
 */
export function duration(text: string): number {
  const sum = anyDuration(text)
  if (sum > longest) throw new InvalidArgumentError('It has to be a week at most.')
  return sum
}

/** `22:00`, for commander's options: seconds after midnight. */
export function timeOfDay(text: string): number {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (found === null) throw new InvalidArgumentError('It has to be a time of day, such as 07:00 or 22:30.')
  return Number(found[1]) * 3600 + Number(found[2]) * 60
}

/** The same for what no timer waits for. */
export function anyDuration(text: string): number {
  const pieces = text.trim().split(/(?<=[a-z])\s*(?=\d)/i)
  return pieces.reduce((all, piece) => all + millisecondsOf(piece), 0)
}

/** Strict, because it is a limit: what is half understood would be another limit than the one that was meant. */
function millisecondsOf(piece: string): number {
  const wellFormed = /^\d{1,9}(\.\d{1,3})?\s*[a-z]+$/i.test(piece) && piece.length < 100
  const milliseconds = wellFormed ? ms(piece) : undefined
  if (milliseconds === undefined)
    throw new InvalidArgumentError('It has to be a number with its unit (ms, s, m, h, d), for example 90s, 5m or 1h30m.')
  return milliseconds
}
