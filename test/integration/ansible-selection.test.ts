import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { limitHosts, playHosts } from '../../src/inventory/select.ts'
import { compileGlob } from '../../src/lib/glob.ts'
import {
  fixtureNames,
  fleetOf,
  listHosts,
  type NamedGroup,
  patternFolder,
  readCases,
  readLines,
} from '../inventory/host-pattern-fixtures.ts'

/** Debian's own Python: that is where its Ansible is installed. */
const python = '/usr/bin/python3'

interface Answer {
  readonly version: string
  readonly hosts: readonly string[]
  readonly groups: readonly NamedGroup[]
  readonly selected: readonly ({ readonly hosts: readonly string[] } | { readonly error: string })[]
  readonly globs: readonly boolean[]
}

const same = readCases('patterns.yaml')
const different = readCases('differences.yaml')
const globs = everyGlob('ab-]^[', 4).flatMap((glob) =>
  ['', 'a', 'b', '-', ']', '!', 'ab', 'a-', '[a]'].map((name) => [glob, name] as const),
)

const installed = spawnSync(python, ['-c', 'import ansible']).status === 0
const asked = installed || process.env['CI'] !== undefined
if (!asked) {
  process.stderr.write(`skipped: ${python} has no Ansible to compare with (on Debian: apt-get install ansible-core)\n`)
}

describe.runIf(asked)('the installed Ansible', () => {
  const answer = asked ? askAnsible() : { version: '', hosts: [], groups: [], selected: [], globs: [] }

  test('sees the hosts and groups that the fixture says it sees', () => {
    expect({ hosts: answer.hosts, groups: answer.groups }).toEqual(fixtureNames)
  })

  test('is compared on at least 120 patterns, with and without a limit', () => {
    expect(same.filter((one) => one.limit === undefined).length).toBeGreaterThanOrEqual(120)
    expect(same.filter((one) => one.limit !== undefined).length).toBeGreaterThanOrEqual(20)
  })

  test.each(same.map((one, index) => ({ ...one, answer: answer.selected[index] })))(
    'selects the same: $hosts | $limit',
    (one) => {
      const fleet = fleetOf(answer.hosts, answer.groups)
      const limit = one.limit === undefined ? undefined : limitHosts(fleet, one.limit, readLines)
      expect({ hosts: playHosts(fleet, one.hosts, limit) }).toEqual(one.answer)
    },
  )

  test.each(different.map((one, index) => ({ ...one, answer: answer.selected[same.length + index] })))(
    'does what the table of differences says: $hosts | $limit',
    (one) => {
      const expected = one.ansible === 'FAILS' ? 'FAILS' : listHosts(one.ansible, answer.hosts)
      expect(one.answer && 'error' in one.answer ? 'FAILS' : one.answer?.hosts).toEqual(expected)
    },
  )

  test('reads globs as we do, down to the oddest bracket', () => {
    const wrong = globs.filter(([glob, name], index) => compileGlob(glob)(name) !== answer.globs[index])
    expect(wrong).toEqual([])
    expect(answer.globs.length).toBe(globs.length)
  })
})

/** One process for everything: starting Ansible is what costs. */
function askAnsible(): Answer {
  const request = { inventory: 'hosts.yaml', cases: [...same, ...different].map(({ hosts, limit }) => ({ hosts, limit })), globs }
  const script = fileURLToPath(new URL('ask-ansible.py', import.meta.url))
  const { status, stdout, stderr } = spawnSync(python, [script], {
    cwd: fileURLToPath(patternFolder),
    input: JSON.stringify(request),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`Ansible could not be asked: ${stderr}`)
  const answer: Answer = JSON.parse(stdout)
  return answer
}

/**
 * Every class of up to `length` of these characters, alone and among others. `!` comes first only: behind a range that runs
 * backwards Python mistakes it for a negation.
 */
function everyGlob(characters: string, length: number): readonly string[] {
  const texts = (left: number): string[] =>
    left === 0 ? [''] : ['', ...Array.from(characters).flatMap((char) => texts(left - 1).map((rest) => char + rest))]
  return [...new Set(texts(length))].flatMap((inner) => [`[${inner}]`, `[!${inner}]`, `*[${inner}]?`])
}
