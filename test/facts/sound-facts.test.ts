import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { questionFor } from '../../src/facts/question.ts'
import { readProbe } from '../../src/facts/read-probe.ts'
import { soundFacts } from '../../src/facts/sound-facts.ts'
import { validateHostFacts } from '../../src/generated/facts-validator.js'
import { loadInventory } from '../../src/load/load.ts'
import { managers } from '../../src/managers/index.ts'
import type { HostFacts } from '../../src/model/facts.ts'

const folder = 'test/fixtures/probe'
const { fleet } = await loadInventory(`${folder}/fleet.yaml`)

function factsIn(name: string, change: (answer: string) => string): HostFacts {
  const host = fleet.hosts.find((one) => one.name === name)
  if (host === undefined) throw new Error(`no ${name}`)
  const stdout = change(readFileSync(`${folder}/${name}.txt`, 'utf8'))
  const read = readProbe({ stdout, stderr: '', timedOut: false }, { nonce: '@@' }, questionFor(host, fleet, managers, '5a17'))
  const stamps = { host: name, gatheredAt: '2026-11-23T07:20:00.000Z', salt: '5a17' }
  return soundFacts({ ...stamps, ...read, http: {} }, validateHostFacts)
}

const longest = 4096

/** The word that each line begins with is followed by one of so many characters. */
function stretched(line: RegExp, characters: number): (answer: string) => string {
  return (answer) => answer.replace(line, (words) => `${words}${'x'.repeat(characters - (words.split(' ').at(-1) ?? '').length)}`)
}

test.each([
  ['nas', 'layout', /^root \S+/m],
  ['nas', 'layout', /^home \S+/m],
  ['nas', 'layout', /^user \S+/m],
  ['nas', 'platform', /^boot \S+/m],
  ['nas', 'containers', /^engine \S+/m],
  ['nas', 'containers', /^compose \S+ [\d.]+/m],
  ['studio', 'layout', /^console \S+/m],
] as const)('of %s the fact %s is unknown where a word of it has no end: %s', (host, field, line) => {
  expect(factsIn(host, stretched(line, longest))[field].known).toBe(true)
  expect(factsIn(host, stretched(line, longest + 1))[field]).toEqual({
    known: false,
    because: 'unreadable',
    detail: expect.stringMatching(/^the host reported an invalid value: \w/),
  })
})

/** On Linux an argument ends there. */
const longestArgument = 131_072

test('whatever line of an answer is stretched, no fact holds a longer word than a command can', () => {
  for (const host of ['nas', 'studio']) {
    const lines = readFileSync(`${folder}/${host}.txt`, 'utf8').split('\n')
    for (const [index, line] of lines.entries()) {
      // The content of a file is no word.
      if (line === '' || line.startsWith('@@') || line.startsWith('|')) continue
      const loud = lines.with(
        index,
        line.replace(/"?$/, (end) => `${'x'.repeat(longestArgument)}${end}`),
      )
      expect({ line, isBounded: longestIn(factsIn(host, () => loud.join('\n'))) <= longestArgument }).toEqual({
        line,
        isBounded: true,
      })
    }
  }
})

function longestIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((most, [name, member]) => Math.max(most, name.length, longestIn(member)), 0)
}
