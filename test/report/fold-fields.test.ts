import { expect, test } from 'vitest'
import { foldFields } from '../../src/report/fold-fields.ts'

const folded = (...all: readonly (readonly [field: string, value: string])[]) =>
  foldFields(
    all,
    ([field]) => field,
    ([, value]) => value,
  ).map(({ field }) => field)

test('one change on disk and in the running server is one line', () => {
  expect(folded(['definition.command.--ctx', '8'], ['state', '8'], ['running.command.--ctx', '8'])).toEqual([
    '{definition,running}.command.--ctx',
    'state',
  ])
})

test('other values, and fields of one side, stay as they are', () => {
  const both = ['definition.image', 'running.image']
  expect(folded(['definition.image', 'a'], ['running.image', 'b'])).toEqual(both)
  expect(folded(['running.image', 'a'], ['resident.ollama', 'a'], ['resident.ollama', 'a'])).toEqual([
    'running.image',
    'resident.ollama',
    'resident.ollama',
  ])
})
