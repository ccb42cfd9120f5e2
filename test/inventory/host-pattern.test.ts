import { describe, expect, test } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { parseHostPattern } from '../../src/inventory/host-pattern.ts'
import { limitHosts, playHosts, selectHosts } from '../../src/inventory/select.ts'
import { fixtureFleet, fixtureNames, listHosts, type PatternCase, readCases, readLines } from './host-pattern-fixtures.ts'

const all = fixtureNames.hosts

function select(one: Pick<PatternCase, 'hosts' | 'limit'>): readonly string[] {
  const limit = one.limit === undefined ? undefined : limitHosts(fixtureFleet, one.limit, readLines)
  return playHosts(fixtureFleet, one.hosts, limit)
}

function hostsOrCode(one: PatternCase): readonly string[] | string {
  try {
    return select(one)
  } catch (error) {
    if (error instanceof ConvergeError) return error.code
    throw error
  }
}

function errorOf(run: () => unknown): ConvergeError {
  try {
    run()
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('patterns select what Ansible selects, in its order', () => {
  test.each(readCases('patterns.yaml'))('$heading: $hosts | $limit', (one) => {
    expect(select(one)).toEqual(listHosts(one.selects, all))
  })
})

describe('where we differ, we select less or stop', () => {
  test.each(readCases('differences.yaml'))('$heading: $hosts | $limit', (one) => {
    const expected = one.here.startsWith('USAGE.') ? one.here : listHosts(one.here, all)
    expect(hostsOrCode(one)).toEqual(expected)
  })
})

describe('parseHostPattern', () => {
  test('takes a pattern apart and says where each term stands', () => {
    const pattern = 'web[0:2] : &~ma.s:!nas*[-1]'
    expect(parseHostPattern(pattern).terms).toEqual([
      {
        text: 'web[0:2]',
        op: 'union',
        wanted: { by: 'name', name: 'web' },
        subscript: { first: 0, last: 2 },
        position: { pattern, column: 1 },
      },
      { text: '&~ma.s', op: 'intersect', wanted: { by: 'regex', source: 'ma.s' }, position: { pattern, column: 12 } },
      {
        text: '!nas*[-1]',
        op: 'exclude',
        wanted: { by: 'glob', glob: 'nas*' },
        subscript: { index: -1 },
        position: { pattern, column: 19 },
      },
    ])
  })

  test('counts columns in what was written, blanks included', () => {
    const terms = parseHostPattern(' web ,  db').terms
    expect(terms.map((term) => term.position)).toEqual([
      { pattern: ' web ,  db', column: 2 },
      { pattern: ' web ,  db', column: 9 },
    ])
  })
})

describe('errors say where and what to do', () => {
  const cases: readonly { pattern: string; why: string; next: string }[] = [
    {
      pattern: 'macs:&smal',
      why: '`smal` (column 7 of `macs:&smal`)',
      next: "Did you mean `small`? See what that selects:  converge hosts --limit 'macs:&small'",
    },
    { pattern: 'nas,STUDOI', why: '`STUDOI` (column 5 of `nas,STUDOI`)', next: 'Did you mean `studio`?' },
    { pattern: 'all:!us-wset-2', why: '`us-wset-2` (column 6', next: 'Did you mean `us-west-2`?' },
    { pattern: 'mac[0]', why: '`mac` (column 1 of `mac[0]`)', next: 'Did you mean `macs`?' },
    { pattern: 'web:80', why: '`web:80` (column 1', next: 'Separate terms only with `,`' },
    { pattern: 'all:!fe80::1', why: '`1` (column 12', next: 'Separate terms only with `,`' },
    { pattern: '@night.retry', why: '`@night.retry` (column 1', next: '`@file` works only in --limit' },
    { pattern: 'web[0-2]', why: 'could mean positions, written `[0:2]`', next: 'A term is a name' },
    { pattern: 'db:web[2:1]', why: '`web[2:1]` (column 4 of `db:web[2:1]`): `[2:1]` runs backwards.', next: 'A term is a name' },
    { pattern: 'all:web[0', why: '`[` (column 8 of `all:web[0`): the bracket is not matched.', next: 'A term is a name' },
    { pattern: '~([a-z]+)+$', why: 'could take forever', next: 'A term is a name' },
    { pattern: '~(we', why: 'the regular expression cannot be used: Unterminated group', next: 'A term is a name' },
    {
      pattern: 'nas:!web[9]',
      why: '`!web[9]` (column 5 of `nas:!web[9]`) asks for a position that does not exist',
      next: 'See which:  converge hosts --limit web',
    },
  ]

  test.each(cases)('$pattern', ({ pattern, why, next }) => {
    const error = errorOf(() => selectHosts(fixtureFleet, parseHostPattern(pattern)))
    expect(error.why).toContain(why)
    expect(error.next.join('\n')).toContain(next)
  })

  test('a wrong line of a limit file is named by file and line', () => {
    const error = errorOf(() => limitHosts(fixtureFleet, 'nas,@typo.retry', readLines))
    expect(error.why).toContain('`stduio` (line 2 of typo.retry)')
    expect(error.next).toContain('Did you mean `studio`?')
  })

  test('the corrected pattern that is offered selects something', () => {
    const error = errorOf(() => selectHosts(fixtureFleet, parseHostPattern('linux,&wbe,!web01')))
    expect(String(error.next[0])).toContain("converge hosts --limit 'linux,&web,!web01'")
  })
})

test('a limit file that cannot be read stops with its name and the reason', () => {
  const error = errorOf(() => limitHosts(fixtureFleet, 'nas,@no such/file', readLines))
  expect(error.code).toBe('USAGE.LIMIT_FILE')
  expect(error.why).toMatch(/`@no such\/file` reads .* ENOENT/)
  expect(error.next.join(' ')).toContain("ls -l 'no such/file'")
  expect(errorOf(() => limitHosts(fixtureFleet, 'nas,@', readLines)).code).toBe('USAGE.PATTERN')
})

test('selecting among ten thousand hosts does not take long, however ill-natured the pattern', () => {
  const hosts = Array.from({ length: 10_000 }, (_, index) => `aaaaaaaaaaaaaaaaaaaaaaaa-${index}`)
  const groups = [
    { name: 'all', hosts, children: [] },
    ...Array.from({ length: 200 }, (_, index) => ({ name: `g${index}`, hosts: hosts.slice(index * 50), children: [] })),
  ]
  const fleet = { ...fixtureFleet, hosts: hosts.map((name) => ({ ...nth(fixtureFleet.hosts), name })), groups }
  const started = performance.now()
  for (const pattern of ['g*:&*a*a*a*a*a*9:!~.*7$', '*a*a*a*a*a*a*b*,g1', '!g150', 'all[5000:]:&g*[0:300000]']) {
    expect(selectHosts(fleet, parseHostPattern(pattern)).length).toBeGreaterThan(10)
  }
  expect(performance.now() - started).toBeLessThan(5000)
})

function nth<T>(items: readonly T[]): T {
  const [first] = items
  if (first === undefined) throw new Error('the fixture has no hosts')
  return first
}
