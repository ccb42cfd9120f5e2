import { expect, test } from 'vitest'
import { brokenWhenCut } from './fleet-laws.ts'
import { judgeFleets, tooFew } from './judge-fleets.ts'

test('random fleets whose run was cut off, and whose next run continues', { timeout: 1_800_000 }, () => {
  const counts = judgeFleets('fleets cut', brokenWhenCut)
  const least = { hosts: 1000, services: 2000, actions: 800, 'as wanted': 150, starts: 300, interruptions: 200 }
  expect(tooFew(counts, least)).toEqual([])
})
