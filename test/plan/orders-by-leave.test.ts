import { expect, test } from 'vitest'
import { compareOrders, leaves, sizes } from './compare-orders.ts'
import { busyLots, portLots, type SmallWorld } from './small-worlds.ts'

const ports = [9990, 9991, 9992]

test('three services and leave for some of it: nothing is lost by leave, and no more of it is used than has to be', {
  timeout: 120_000,
}, () => {
  const { possible, wrong } = compareOrders('three services, leave', threes())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(2500)
})

function* threes(): Generator<SmallWorld> {
  const lots = [...portLots(ports), ...busyLots(ports)].filter(({ wish }) => wish.state !== 'stopped')
  for (const memory of [sizes.tight, sizes.middling])
    for (const approvals of leaves.slice(1))
      for (const [i, a] of lots.entries())
        for (const [j, b] of lots.slice(i).entries())
          for (const c of lots.slice(i + j)) yield { lots: [a, b, c], memory, approvals }
}
