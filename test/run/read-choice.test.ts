import { expect, test } from 'vitest'
import { readChoice } from '../../src/run/init/config-hosts.ts'

const names = ['nas', 'box', 'shelf', '7']

test.each([
  ['', []],
  ['1', ['nas']],
  ['2 3', ['box', 'shelf']],
  ['3,1', ['shelf', 'nas']],
  ['1-3', ['nas', 'box', 'shelf']],
  ['all', names],
  ['box 2', ['box']],
  ['7', ['7']],
  ['4 nas', ['7', 'nas']],
])('%j chooses %j', (answer, chosen) => expect(readChoice(answer, names)).toEqual(chosen))

test.each(['0', '5', '2-9', '3-2', 'bo', '-1', '1.5'])('%j is refused', (answer) => {
  expect(readChoice(answer, names)).toContain(answer)
})
