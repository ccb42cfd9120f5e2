import { expect, test } from 'vitest'
import type { ModelFiles } from '../../src/model/facts.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'
import { withStopTimeout } from '../../src/servers/stop-timeout.ts'
import { aService, gibibyte } from '../support/build.ts'

test.each([
  { gib: 1, seconds: 60 },
  { gib: 60, seconds: 60 },
  { gib: 60.1, seconds: 120 },
  { gib: 119, seconds: 120 },
  { gib: 424, seconds: 480 },
])('a model of $gib GiB has $seconds s', ({ gib, seconds }) => {
  expect(withStopTimeout(aService({}), modelOf(gib)).stopTimeoutS).toBe(seconds)
})

test('all parts of a model count', () => {
  const whole = modelOf(30, 30, 30)
  expect(withStopTimeout(aService({}), whole).stopTimeoutS).toBe(120)
})

test('a budget counts, whatever the model', () => {
  const service = aService({ kind: 'B', ramGb: 300 })
  expect(withStopTimeout(service, unknown('timed-out')).stopTimeoutS).toBe(300)
  expect(withStopTimeout(aService({ kind: 'B', ramGb: 20 }), modelOf(400)).stopTimeoutS).toBe(60)
})

test('the inventory decides', () => {
  const service = aService({ stopTimeoutS: 5, stopTimeoutFixed: true })
  expect(withStopTimeout(service, modelOf(424))).toBe(service)
})

test('an unknown or a missing model changes nothing', () => {
  const service = aService({})
  expect(withStopTimeout(service, unknown('timed-out'))).toBe(service)
  expect(withStopTimeout(service, known(null))).toBe(service)
})

function modelOf(...gib: readonly number[]): Observed<ModelFiles> {
  const files = gib.map((size, index) => ({ path: `/m/${index}.gguf`, bytes: size * gibibyte }))
  const rest = { path: '/m/0.gguf', type: 'file', shards: files.length, missing: [], unfinished: [] } as const
  return known({ ...rest, files, header: unknown('not-gathered'), cachedBytes: unknown('not-gathered') })
}
