import * as fc from 'fast-check'
import { expect } from 'vitest'
import { arbitraryFleet, type FleetLot } from '../support/arbitrary-fleet.ts'
import { rememberDefinitions } from '../support/remember-managers.ts'
import { casesOf, seed as given } from '../support/series.ts'
import { createTally, type Tally } from './tally.ts'

/** So many fleets are done to their end and as many cut off. */
const fleets = casesOf({ short: 300, long: 30_000 })
/** The same seed makes the same ones. */
const seed = given ?? 1

/**
 * Makes fleets at random and lets a law judge each; prints how many there were and what was in them. A counterexample is shown with its
 * seed, and as the short words that it was made from.
 *
 * @param law what is wrong with a fleet; `share` is between 0 and 1
 */
export function judgeFleets(
  about: string,
  law: (lot: FleetLot, share: number, tally: Tally) => readonly string[],
): Tally['counts'] {
  rememberDefinitions()
  const tally = createTally()
  const share = fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100)
  const holds = fc.property(arbitraryFleet, share, (lot, part) => {
    expect(law(lot, part, tally)).toEqual([])
  })
  try {
    fc.assert(holds, { seed, numRuns: fleets })
  } finally {
    const words = Object.entries(tally.counts).map(([what, count]) => `${what}: ${count}`)
    process.stdout.write(`${about} (seed ${seed}): ${words.join(', ')}\n`)
  }
  return tally.counts
}

/** Kinds of things that came up too rarely in a thousand fleets: a law about them would say nothing. Few fleets are not judged. */
export function tooFew(counts: Tally['counts'], least: Readonly<Record<string, number>>): readonly string[] {
  const thousands = (counts['fleets'] ?? 0) / 1000
  if (thousands < 1) return []
  return Object.entries(least)
    .filter(([what, number]) => (counts[what] ?? 0) < number * thousands)
    .map(([what]) => `${what}: ${counts[what] ?? 0}`)
}
