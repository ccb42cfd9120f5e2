import type { SmokeDeps, Verdict } from './smoke-deps.ts'

/** A chat that takes less than a second longer is not judged: so much is noise. */
const noiseMs = 1000

/**
 * Whether a server answers as fast as it did before. The first chat has been measured; one that seems slow is asked again, because a busy machine
 * slows any server down once.
 *
 * @param chatMs of the first chat
 * @param chat requests another one; whether it was answered
 */
export async function checkSpeed({
  speed,
  clock,
  chatMs,
  chat,
}: Pick<SmokeDeps, 'speed' | 'clock'> & {
  readonly chatMs: number
  readonly chat: () => Promise<boolean>
}): Promise<Verdict> {
  if (speed === undefined) return { ok: true, detail: 'nothing to compare with', skipped: 'nothing to compare with' }
  const { beforeS, maxSlowdown, again } = speed
  const mostMs = Math.max(beforeS * 1000 * maxSlowdown, beforeS * 1000 + noiseMs)
  let fastest = chatMs
  for (let left = again; left > 0 && fastest > mostMs; left--) {
    const began = clock.now()
    if (await chat()) fastest = Math.min(fastest, clock.now() - began)
  }
  const times = `a chat takes ${inSeconds(fastest)}, and took ${inSeconds(beforeS * 1000)} before`
  if (fastest <= mostMs) return { ok: true, detail: times }
  const factor = Math.round(fastest / Math.max(1, beforeS * 1000))
  return { ok: false, detail: `${times}: ${factor} times as long; the play allows ${maxSlowdown} (max_slowdown)` }
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 995 ? 2 : 1)} s`
}
