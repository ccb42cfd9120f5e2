/** Bytes present at a time in milliseconds, by any steady clock. */
export interface Sample {
  readonly at: number
  readonly bytes: number
}

export interface Pace {
  readonly bytesPerS: number
  /** Seconds until `total` is reached at that rate; absent if nothing arrives. */
  readonly etaS?: number
}

const windowMs = 60_000
/** Two polls in quick succession measure nothing. */
const leastMs = 1500

/** Adds a sample to those of the last minute. Restarts if there are fewer bytes than before, or the clock was set back. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  const kept = last !== undefined && (last.bytes > sample.bytes || last.at > sample.at) ? [] : samples
  // Keeps one sample from before the minute, so that hourly polls measure too.
  const first = kept.findLastIndex(({ at }) => sample.at - at >= windowMs)
  return [...kept.slice(Math.max(first, 0)), sample]
}

/** How fast bytes arrive; undefined: not measurable. */
export function paceOf(samples: readonly Sample[], total: number): Pace | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return undefined
  const bytesPerS = ((last.bytes - first.bytes) * 1000) / (last.at - first.at)
  return bytesPerS > 0 ? { bytesPerS, etaS: Math.ceil((total - last.bytes) / bytesPerS) } : { bytesPerS }
}
