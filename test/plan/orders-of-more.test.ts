import { expect, test } from 'vitest'
import { compareOrders, sizes } from './compare-orders.ts'
import { portLots, type SmallWorld } from './small-worlds.ts'

const ports = [9990, 9991, 9992, 9993] as const

test('three services on three ports: as much as any order does, as cheaply', { timeout: 120_000 }, () => {
  const { possible, wrong } = compareOrders('three services, ports', threes())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(1000)
})

test('four services on four ports: rings of them, and chains that end in a stop or begin with a start', {
  timeout: 120_000,
}, () => {
  const { possible, wrong } = compareOrders('four services, ports', fours())
  expect(wrong).toEqual([])
  expect(possible).toBeGreaterThanOrEqual(400)
})

function* threes(): Generator<SmallWorld> {
  const lots = portLots(ports.slice(0, 3))
  for (const memory of Object.values(sizes))
    for (const [i, a] of lots.entries())
      for (const [j, b] of lots.slice(i).entries())
        for (const c of lots.slice(i + j)) yield { lots: [a, b, c], memory, approvals: [] }
}

/** Each has had a port of its own, and all want other ones of the same; at most one of them comes, or goes. */
function* fours(): Generator<SmallWorld> {
  const lots = new Map(portLots(ports).map((lot) => [lot.word, lot]))
  const words = (wanted: readonly number[]) => {
    const moves = ports.map((from, index) => `${from}>${wanted[index] ?? 0}`)
    const others = ports.flatMap((from, index) => [moves.with(index, `+${wanted[index] ?? 0}`), moves.with(index, `x${from}`)])
    return [moves, ...others]
  }
  for (const memory of [sizes.middling, sizes.ample])
    for (const wanted of permutations(ports))
      for (const some of words(wanted)) yield { lots: some.flatMap((word) => lots.get(word) ?? []), memory, approvals: [] }
}

function permutations(of: readonly number[]): readonly (readonly number[])[] {
  if (of.length < 2) return [of]
  return of.flatMap((first) => permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]))
}
