import type { Consent } from '../../src/model/playbook.ts'
import { faultsOfSearch } from './judge-search.ts'
import { inputOf, isPossible, type SmallWorld, wordsOf } from './small-worlds.ts'

/** Hosts on which few, some or many servers fit; the first one counts as small. */
export const sizes = {
  small: { totalGb: 31.2, availableGb: 24 },
  tight: { totalGb: 64, availableGb: 20 },
  middling: { totalGb: 64, availableGb: 32 },
  ample: { totalGb: 256, availableGb: 200 },
} as const

export function leave(code: string, service = '*'): Omit<Consent, 'origin'> {
  return { code, service, reason: 'planned' }
}

/** Leave for nothing, for one thing, for several. */
export const leaves = [
  [],
  [leave('MEMORY.INSUFFICIENT')],
  [leave('SERVICE.BUSY')],
  [leave('MEMORY.INSUFFICIENT', 'ada'), leave('CORUN.SECOND_KIND_A'), leave('WARM.RESTART')],
] as const

/** The search against brute force on each of them; prints how many there were. */
export function compareOrders(
  about: string,
  worlds: Iterable<SmallWorld>,
): { readonly compared: number; readonly wrong: readonly string[] } {
  let compared = 0
  const wrong: string[] = []
  for (const world of worlds) {
    if (!isPossible(world)) continue
    compared += 1
    wrong.push(...faultsOfSearch(inputOf(world)).map((fault) => `${wordsOf(world)}: ${fault}`))
  }
  process.stdout.write(`${about}: ${compared} hosts compared with brute force\n`)
  return { compared, wrong: wrong.slice(0, 10) }
}
