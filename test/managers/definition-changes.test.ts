import { expect, it } from 'vitest'
import { managers } from '../../src/managers/index.ts'
import type { ManagerName } from '../../src/model/names.ts'
import { redactedText } from '../../src/model/secret.ts'
import { type GivenService, inputOf } from './given-input.ts'
import { readCases } from './read-cases.ts'

interface ChangeCase {
  readonly about: string
  readonly manager: ManagerName
  readonly from?: GivenService | null
  /** The definition on the host, where no service makes it. */
  readonly text?: string
  readonly to: GivenService
  readonly changes?: unknown
  readonly fields?: readonly string[]
  readonly effects?: readonly string[]
  readonly only?: 'removed'
}

const cases = readCases<readonly ChangeCase[]>('managers/definition-changes').flatMap(([, all]) => all)

it.each(cases)('what differs between definitions: $about ($manager)', (given) => {
  const { manager, from, text, to, only, changes, fields, effects } = given
  const before = from === undefined || from === null ? (text ?? null) : rendered(manager, from)
  const { service } = inputOf({ manager, name: 'coder', ...to }, 'key-of-the-test')
  const all = managers[manager].compareDefinitions(before, rendered(manager, to), service) ?? []
  const seen = only === 'removed' ? all.filter((change) => change.to === null) : all
  const names = seen.map(({ field }) => field.replace(/^definition\./, '').replace(/^(healthcheck\.test).*/, '$1'))
  expect({
    changes: changes === undefined ? undefined : seen,
    fields: fields === undefined ? undefined : [...new Set(names)],
    effects: effects === undefined ? undefined : [...new Set(seen.map(({ effect }) => effect))],
  }).toEqual({ changes, fields, effects })
})

function rendered(manager: ManagerName, service: GivenService): string {
  const files = managers[manager].render(inputOf({ manager, name: 'coder', ...service }, 'key-of-the-test'))
  return redactedText(files?.definition.content ?? [])
}
