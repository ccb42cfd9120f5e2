import type { Host } from '../model/fleet.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { gibibyte } from './words.ts'

/** How far the RAM found may differ from the RAM stated: firmware and graphics reserve some of it. */
export const ramTolerance = 0.1

/**
 * The machine's RAM in bytes, for comparison with budgets: the amount in the inventory if the amount found is close to it. So a 32 GB machine
 * that reports 31.2 counts as 32.
 */
export function nominalRam(host: Host, found: Observed<number>): Observed<number> {
  return mapObserved(found, (bytes) => {
    const stated = host.ramGb === undefined ? bytes : host.ramGb * gibibyte
    return Math.abs(stated - bytes) <= stated * ramTolerance ? stated : bytes
  })
}
