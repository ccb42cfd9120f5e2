import { describe, expect, it } from 'vitest'
import { managers } from '../../src/managers/index.ts'
import type { ManagerName } from '../../src/model/names.ts'
import { changed, type FactChanges } from './changed-facts.ts'
import { type GivenService, hostWith, inputOf } from './given-input.ts'
import { readCases } from './read-cases.ts'

interface RunningCase extends FactChanges {
  readonly about: string
  readonly manager: ManagerName
  /** Default: true. */
  readonly running?: boolean
  /** Default: as desired. */
  readonly applied?: GivenService
  readonly wanted?: GivenService
  /** All of what differs, or only the names of the fields. */
  readonly expected?: unknown
  readonly fields?: readonly string[]
}

describe.each(readCases<readonly RunningCase[]>('managers/running'))('what runs under %s', (_, cases) => {
  it.each(cases)('$about', (given) => {
    const { manager, wanted = {}, applied = wanted, running = true, expected, fields } = given
    const common = {
      name: 'coder',
      manager,
      model: { path: wanted.kind === 'B' ? '/srv/models/coder' : '/srv/models/coder.gguf' },
    }
    const before = inputOf({ ...common, ...applied }, 'key-of-the-test')
    const input = inputOf({ ...common, ...wanted }, 'key-of-the-test')
    const facts = changed(hostWith(before.service, running ? 'running' : 'stopped', before.key), 'coder', given)
    const changes = managers[manager].compareRunning(input, facts)
    const seen = changes.known ? changes.value : { unknown: changes.because }
    const names = changes.known ? changes.value.map(({ field }) => field) : []
    expect(fields === undefined ? seen : names).toEqual(fields ?? expected)
  })
})
