import type { Host } from '../model/fleet.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { gibibyte } from './words.ts'

/** How far the RAM found may be from the RAM stated: firmware and graphics keep some of it for themselves. */
export const ramTolerance = 0.1

/**
 * The machine's RAM in bytes, as budgets are counted against it: what the inventory states where what was found agrees, so that
 * a 32 GB machine that reports 31.2 is one of 32.
 */
export function nominalRam(host: Host, found: Observed<number>): Observed<number> {
  return mapObserved(found, (bytes) => {
    const stated = host.ramGb === undefined ? bytes : host.ramGb * gibibyte
    return Math.abs(stated - bytes) <= stated * ramTolerance ? stated : bytes
  })
}
