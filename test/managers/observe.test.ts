import { describe, expect, it } from 'vitest'
import { managers } from '../../src/managers/index.ts'
import type { ManagerName } from '../../src/model/names.ts'
import { changed, type FactChanges } from './changed-facts.ts'
import { hostWith, inputOf } from './given-input.ts'
import { readCases } from './read-cases.ts'

interface ObserveCase extends FactChanges {
  readonly about: string
  readonly manager: ManagerName
  readonly applied: 'running' | 'stopped' | null
  readonly expected: Readonly<Record<string, unknown>>
}

describe.each(readCases<readonly ObserveCase[]>('managers/observe'))('a service as %s has it', (_, cases) => {
  it.each(cases)('$about', (given) => {
    const { service, key } = inputOf({ name: 'coder', manager: given.manager }, 'key-of-the-test')
    const facts = changed(hostWith(service, given.applied, key), service.name, given)
    const state = managers[given.manager].observe(service, facts, 'example')
    const seen = state.known ? state.value : { unknown: state.because, detail: state.detail }
    expect(seen).toMatchObject(given.expected)
  })

  it('is unknown where the probe was not asked', () => {
    const [first] = cases
    const { service, key } = inputOf({ name: 'coder', manager: first?.manager ?? 'compose' }, 'key-of-the-test')
    const facts = { ...hostWith(service, 'running', key), definitions: {} }
    expect(managers[service.manager].observe(service, facts, 'example')).toMatchObject({
      known: false,
      because: 'not-gathered',
    })
  })
})
