import { expect, test } from 'vitest'
import { approvalOf, compareOrders } from './compare-orders.ts'
import { budgetLots, cutOffLots, type SmallWorld } from './small-worlds.ts'

const ports = [9990, 9991]

test('what is written for a server that runs on promises it more: as much as any order does, as cheaply', {
  timeout: 120_000,
}, () => {
  const { possible, wrong } = compareOrders('a promise and others, memory', promises())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(250)
})

test('two servers that were up, and a third: approvals bring back all that they can, whatever they were given for', {
  timeout: 120_000,
}, () => {
  const { possible, wrong } = compareOrders('servers that were up, leave', comebacks())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(120)
})

function* promises(): Generator<SmallWorld> {
  const lots = budgetLots(ports)
  const third = { word: '+A9992', wish: { port: 9992, extraArgs: ['--cache-ram', '4096'] } }
  for (const [availableGb, approvals] of [
    [12, []],
    [20, []],
    [20, [approvalOf('MEMORY.INSUFFICIENT', 'bob'), approvalOf('WARM.RESTART')]],
  ] as const)
    for (const one of lots.filter(({ word }) => /^B.*24$/.test(word)))
      for (const other of lots)
        for (const some of [
          [one, other],
          [one, other, third],
        ])
          yield { lots: some, memory: { totalGb: 64, availableGb }, approvals }
  // Two that want each other's ports, and find less memory once a third one was promised more.
  const raised = budgetLots([9992]).filter(({ word }) => /^B.*24$/.test(word))
  const moved = lots.filter(({ word }) => /^A(\d+).*>(?!\1)/.test(word))
  for (const availableGb of [20, 28])
    for (const one of moved)
      for (const other of moved)
        for (const last of raised) yield { lots: [one, other, last], memory: { totalGb: 64, availableGb }, approvals: [] }
}

function* comebacks(): Generator<SmallWorld> {
  const lots = cutOffLots(ports)
  const third = { word: '9992>9992', was: { port: 9992, ctxSize: 2048 }, wish: { port: 9992 } }
  const ada = approvalOf('CORUN.SECOND_KIND_A', 'ada')
  const small = { totalGb: 31.2, availableGb: 20 }
  for (const [memory, approvals] of [
    [small, [ada]],
    [small, [approvalOf('MEMORY.INSUFFICIENT', 'bob'), ada]],
    [{ totalGb: 64, availableGb: 14 }, [approvalOf('MEMORY.INSUFFICIENT', 'cleo')]],
  ] as const)
    for (const one of lots)
      for (const other of lots)
        for (const some of [
          [one, other],
          [other, one, third],
        ])
          yield { lots: some, memory, approvals }
}
