import type { Approval } from '../../src/model/playbook.ts'
import { rememberDefinitions } from '../support/remember-managers.ts'
import { oneIn } from '../support/series.ts'
import { faultsOfSearch } from './judge-search.ts'
import { inputOf, isPossible, type SmallWorld, wordsOf } from './small-worlds.ts'

/** Hosts on which few, some or many servers fit; the first one counts as small. */
export const sizes = {
  small: { totalGb: 31.2, availableGb: 24 },
  tight: { totalGb: 64, availableGb: 20 },
  middling: { totalGb: 64, availableGb: 32 },
  ample: { totalGb: 256, availableGb: 200 },
} as const

export function approvalOf(code: string, service = '*'): Omit<Approval, 'origin'> {
  return { code, service, reason: 'planned' }
}

/** Leave for nothing, for one thing, for several. */
export const leaves = [
  [],
  [approvalOf('MEMORY.INSUFFICIENT')],
  [approvalOf('SERVICE.BUSY')],
  [approvalOf('MEMORY.INSUFFICIENT', 'ada'), approvalOf('CORUN.SECOND_KIND_A'), approvalOf('WARM.RESTART')],
] as const

/** So many orders take as long as a change can wait for; a prime, so that no kind of service is always left out. */
const several = 11

/** The search against brute force on one in eleven of them, in a long series on each; prints how many there were. */
export function compareOrders(
  about: string,
  problems: Iterable<SmallWorld>,
): { readonly possible: number; readonly wrong: readonly string[] } {
  rememberDefinitions()
  const possible = [...problems].filter(isPossible)
  const compared = oneIn(several, possible)
  const wrong = compared.flatMap((problem) => faultsOfSearch(inputOf(problem)).map((fault) => `${wordsOf(problem)}: ${fault}`))
  process.stdout.write(`${about}: ${compared.length} of ${possible.length} hosts compared with brute force\n`)
  return { possible: possible.length, wrong: wrong.slice(0, 10) }
}
