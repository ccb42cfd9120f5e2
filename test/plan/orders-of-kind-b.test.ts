import { expect, test } from 'vitest'
import { approvalOf, compareOrders, sizes } from './compare-orders.ts'
import { kindBLots, portLots, type SmallWorld } from './small-worlds.ts'

const ports = [9990, 9991, 9992]
const lots = [...kindBLots(ports), ...portLots(ports)]
const some = [approvalOf('MEMORY.INSUFFICIENT', 'ada'), approvalOf('CORUN.SECOND_KIND_A'), approvalOf('WARM.RESTART')]

test('a Kind B and another service on three ports: one is down for a while also for what is only written', {
  timeout: 120_000,
}, () => {
  const { possible, wrong } = compareOrders('a Kind B and another, ports', pairs())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(2500)
})

test('two Kind B and another service on three ports: no more leave is used than has to be', { timeout: 120_000 }, () => {
  const { possible, wrong } = compareOrders('two Kind B and another, ports', threes())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(2000)
})

function* pairs(): Generator<SmallWorld> {
  for (const memory of [sizes.tight, sizes.ample])
    for (const approvals of [[], [approvalOf('WARM.RESTART')], [approvalOf('WARM.RESTART', 'ada')], some])
      for (const one of kindBLots(ports)) for (const other of lots) yield { lots: [one, other], memory, approvals }
}

function* threes(): Generator<SmallWorld> {
  for (const approvals of [[approvalOf('WARM.RESTART')], some])
    for (const [i, a] of lots.entries())
      for (const [j, b] of lots.slice(i).entries())
        for (const c of lots.slice(i + j)) {
          const kindB = [a, b, c].filter(({ wish }) => wish.kind === 'B')
          if (kindB.length > 1) yield { lots: [a, b, c], memory: sizes.middling, approvals }
        }
}
