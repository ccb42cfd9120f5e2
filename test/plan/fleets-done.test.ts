import { expect, test } from 'vitest'
import { brokenWhenDone } from './fleet-laws.ts'
import { judgeFleets, tooFew } from './judge-fleets.ts'

test('random fleets that are done to their end', { timeout: 1_800_000 }, () => {
  const counts = judgeFleets('fleets done', (lot, _share, tally) => brokenWhenDone(lot, tally))
  const least = {
    hosts: 1000,
    services: 2000,
    actions: 1000,
    'as wanted': 150,
    starts: 300,
    interruptions: 300,
    'servers down for a while': 10,
    'swaps beside leave for another': 1,
    'starts behind a larger budget': 0.5,
    'momentary starts': 10,
    'hosts with leave': 300,
    'by leave': 20,
    'CORUN.SECOND_KIND_A': 50,
    'MEMORY.INSUFFICIENT': 50,
    'PORT.TAKEN': 50,
    'BUDGET.EXCEEDED': 10,
    'WARM.RESTART': 50,
    'SERVICE.BUSY': 20,
    'KEY.MISSING': 20,
    'FACT.UNKNOWN': 50,
    'DEFINITION.FOREIGN': 20,
    'PRIVILEGE.MISSING': 20,
    'paused containers': 20,
  }
  expect(tooFew(counts, least)).toEqual([])
})
