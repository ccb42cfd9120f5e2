import { expect, test } from 'vitest'
import { compareOrders, leaves, sizes } from './compare-orders.ts'
import { busyLots, portLots, type SmallWorld } from './small-worlds.ts'

const ports = [9990, 9991, 9992]

test('two services on three ports: as much as any order does, as cheaply', { timeout: 120_000 }, () => {
  const { possible, wrong } = compareOrders('two services, ports', pairs())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(5000)
})

function* pairs(): Generator<SmallWorld> {
  const lots = [...portLots(ports), ...busyLots(ports)]
  for (const memory of Object.values(sizes))
    for (const approvals of leaves)
      for (const one of lots) for (const other of lots) yield { lots: [one, other], memory, approvals }
}
