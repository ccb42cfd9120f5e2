/** So many bytes were there then; milliseconds of any clock that goes on evenly. */
export interface Sample {
  readonly at: number
  readonly bytes: number
}

export interface Pace {
  readonly bytesPerS: number
  /** Seconds until `total` is reached at that rate; absent where nothing comes. */
  readonly etaS?: number
}

const windowMs = 60_000
/** Two looks right after one another measure nothing. */
const leastMs = 1500

/** Adds a look to those of the last minute. Where there are fewer bytes than before, or the clock was set back, counting begins anew. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  const kept = last !== undefined && (last.bytes > sample.bytes || last.at > sample.at) ? [] : samples
  // One look from before the minute, so that a look every hour measures too.
  const first = kept.findLastIndex(({ at }) => sample.at - at >= windowMs)
  return [...kept.slice(Math.max(first, 0)), sample]
}

/** How fast bytes came; undefined: there is nothing to measure. */
export function paceOf(samples: readonly Sample[], total: number): Pace | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return undefined
  const bytesPerS = ((last.bytes - first.bytes) * 1000) / (last.at - first.at)
  return bytesPerS > 0 ? { bytesPerS, etaS: Math.ceil((total - last.bytes) / bytesPerS) } : { bytesPerS }
}
