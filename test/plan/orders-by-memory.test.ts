import { expect, test } from 'vitest'
import { approvalOf, compareOrders, leaves } from './compare-orders.ts'
import { memoryLots, type SmallWorld } from './small-worlds.ts'

const generous = [approvalOf('MEMORY.INSUFFICIENT'), approvalOf('SERVICE.BUSY'), approvalOf('WARM.RESTART')]

test('three services that grow, shrink, come and go: as much as any order does, as cheaply', { timeout: 120_000 }, () => {
  const { possible, wrong } = compareOrders('three services, memory', threes())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(2500)
})

function* threes(): Generator<SmallWorld> {
  for (const availableGb of [10, 22])
    for (const approvals of [...leaves.slice(0, 3), generous])
      for (const a of memoryLots(9990))
        for (const b of memoryLots(9991))
          for (const c of memoryLots(9992)) yield { lots: [a, b, c], memory: { totalGb: 64, availableGb }, approvals }
}
