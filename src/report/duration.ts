import prettyMs from 'pretty-ms'

/** `240ms`, `1.7s`, `3m 12s`. */
export function duration(ms: number): string {
  return prettyMs(ms, { secondsDecimalDigits: 1, ...(ms < 1000 ? {} : { unitCount: 2 }) })
}
