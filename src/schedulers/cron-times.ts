const minuteS = 60
const hourS = 3600
const dayS = 86_400

/** Divisors of an hour and of a day: any other interval would be shorter at every full hour or midnight. */
const minutes = [5, 6, 10, 12, 15, 20, 30]
const hours = [2, 3, 4, 6, 8, 12]

/** The intervals that the five fields of a crontab can express exactly, by seconds. */
const times: ReadonlyMap<number, string> = new Map([
  ...minutes.map((n) => [n * minuteS, `*/${n} * * * *`] as const),
  [hourS, '0 * * * *'],
  ...hours.map((n) => [n * hourS, `0 */${n} * * *`] as const),
  [dayS, '0 0 * * *'],
  [7 * dayS, '0 0 * * 0'],
])

/** The five fields; undefined: no exact expression. */
export function cronTimes(everyS: number): string | undefined {
  return times.get(everyS)
}

/** The nearest exact intervals, in seconds. */
export function nearestIntervals(everyS: number): readonly number[] {
  const known = [...times.keys()]
  const below = known.findLast((one) => one < everyS)
  const above = known.find((one) => one > everyS)
  return [below, above].filter((one) => one !== undefined)
}
