import { expect, it } from 'vitest'
import { paceOf, type Sample, withSample } from '../../src/fetch/pace.ts'

const gib = 1024 ** 3

function samples(...looks: readonly (readonly [seconds: number, bytes: number])[]): readonly Sample[] {
  return looks.reduce<readonly Sample[]>((all, [seconds, bytes]) => withSample(all, { at: seconds * 1000, bytes }), [])
}

it('measures the last minute', () => {
  const looks = Array.from(
    { length: 100 },
    (_, index) => [index * 2, index < 50 ? index * 1000 : 50_000 + (index - 50) * 4000] as const,
  )
  expect(paceOf(samples(...looks), 1_000_000)?.bytesPerS).toBe(2000)
})

it('tells how long a file of 40 GiB still takes', () => {
  const pace = paceOf(samples([0, 10 * gib], [30, 10.5 * gib], [60, 11 * gib]), 40 * gib)
  expect(pace).toEqual({ bytesPerS: gib / 60, etaS: 29 * 60 })
})

it('measures nothing in a moment, and promises no end where nothing comes', () => {
  expect(paceOf(samples([0, 0]), 100)).toBeUndefined()
  expect(paceOf(samples([0, 0], [1, 50]), 100)).toBeUndefined()
  expect(paceOf(samples([0, 50], [30, 50]), 100)).toEqual({ bytesPerS: 0 })
})

it('begins anew where there are fewer bytes: a digest is taken of what has arrived', () => {
  expect(paceOf(samples([0, 0], [10, 100], [12, 4], [22, 14]), 100)).toEqual({ bytesPerS: 1, etaS: 86 })
})
