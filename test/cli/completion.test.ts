import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Answer } from '../../src/cli/completion/answer.ts'
import { answerTo, complete } from '../../src/cli/completion/complete.ts'
import { describeCommandLine } from '../../src/cli/completion/describe.ts'
import { splitTyped } from '../../src/cli/completion/shells/typed-words.ts'
import { sources } from '../../src/cli/completion/sources.ts'

interface Case {
  readonly line: string
  readonly offers?: readonly string[] | 'all-options'
  readonly with?: readonly string[]
  readonly without?: readonly string[]
  readonly paths?: 'files' | 'folders'
  readonly prefix?: string
  readonly endings?: readonly string[]
}

const root = resolve(import.meta.dirname, '../..')
const env = {
  CONVERGE_INVENTORY: join(root, 'inventories/home'),
  CONVERGE_STATE_DIR: '/dev/null/state',
  HOME: '/nonexistent',
  ROOT: root,
}
const cases = parse(readFileSync(join(root, 'test/fixtures/cli/completions.yaml'), 'utf8')) as readonly Case[]
const commandLine = await describeCommandLine()
const folder = mkdtempSync(join(tmpdir(), 'converge-completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

function answerFor(line: string, surroundings = { env, cwd: root }): Promise<Answer> {
  const { words, current } = splitTyped(line)
  return answerTo({ words: words.slice(1), current }, commandLine, surroundings)
}

async function offered(line: string, surroundings = { env, cwd: root }): Promise<readonly string[]> {
  const answer = await answerFor(line, surroundings)
  return 'candidates' in answer ? answer.candidates.map(({ value }) => value) : []
}

/** An inventory of these files; `-> target` is a link. */
function inventory(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(path, file))
    else writeFileSync(join(path, file), text)
  }
  return path
}

describe('what is completed', () => {
  test.each(cases.filter(({ paths }) => paths === undefined))(
    '$line',
    async ({ line, offers, with: more = [], without = [] }) => {
      const answer = await answerFor(line)
      const values = 'candidates' in answer ? answer.candidates.map(({ value }) => value) : ['a path']
      const shown = offers === 'all-options' ? values.filter((value) => value.startsWith('--')) : (offers ?? values)
      expect(values).toEqual(shown)
      expect(values).toEqual(expect.arrayContaining([...more]))
      expect(values.filter((value) => without.includes(value))).toEqual([])
    },
  )

  test.each(cases.filter(({ paths }) => paths !== undefined))(
    '$line: paths',
    async ({ line, paths, prefix = '', endings = [] }) => {
      expect(await answerFor(line)).toEqual({ paths, prefix, endings })
    },
  )

  test('is described', async () => {
    const answer = await answerFor('converge plan --limit ')
    expect('candidates' in answer && answer.candidates.slice(0, 5)).toEqual([
      { value: 'all', about: 'every host' },
      { value: 'macs', about: 'group of 3 hosts' },
      { value: 'linux', about: 'group of 2 hosts' },
      { value: 'small', about: 'group of 2 hosts' },
      { value: 'studio', about: 'host with coder, giant' },
    ])
  })

  test('is a service first, and its host if several have it', async () => {
    const path = inventory('twins', {
      'hosts.yaml': 'all: { hosts: { a: { services: { one: {}, both: {} } }, b: { services: { both: {} } } } }',
    })
    const answer = await answerFor(`converge render -i ${path} `)
    expect(answer).toEqual({
      candidates: [
        { value: 'one', about: 'service on a' },
        { value: 'both@', about: 'service on a, b', isOpen: true },
      ],
    })
    expect(await offered(`converge render -i ${path} both@`)).toEqual(['both@a', 'both@b'])
  })

  test('are profiles, for a verb that takes one', async () => {
    const path = inventory('profiles', {
      'hosts.yaml': 'all: { hosts: { a: }, vars: { fleet: { profiles: { coding: {}, night: {} } } } }',
    })
    expect(await offered(`converge use -i ${path} `)).toEqual(['coding', 'night'])
  })

  test('are runs of the history, newest first', async () => {
    const runs = ['20261101T0815-aaaa', '20261102T0815-bbbb']
    const state = inventory('state', Object.fromEntries(runs.map((run) => [`history/${run}.json`, '{}'])))
    const values = await offered('converge report ', { env: { ...env, CONVERGE_STATE_DIR: state }, cwd: root })
    expect(values).toEqual(['merge', runs[1], runs[0]])
  })
})

describe('the inventory', () => {
  const home = inventory('around', { 'inventories/only/hosts.yaml': 'all: { hosts: { here: } }' })

  test('is found as other verbs find it', async () => {
    const other = { ...env, CONVERGE_INVENTORY: '' }
    expect(await offered('converge unlock ', { env: other, cwd: home })).toEqual(['here'])
    expect(await offered('converge unlock ', { env: other, cwd: folder })).toEqual([])
  })

  test('may be a stranger’s: then no link leads out of it', async () => {
    const path = inventory('links', {
      '../elsewhere.yaml': 'all: { hosts: { secret-name: } }',
      'hosts.yaml': 'all: { hosts: { a: } }',
      'more.yaml': '-> ../elsewhere.yaml',
    })
    expect(await offered(`converge unlock -i ${path} `)).toEqual(['a', 'secret-name'])
    expect(await offered(`converge unlock --no-secret-commands -i ${path} `)).toEqual(['a'])
    expect(await offered(`converge plan --facts x -i ${path} -l `)).not.toContain('secret-name')
  })

  test('offers no name that a shell could take for something else', async () => {
    const strange = ['a b', "it's", '"', '$(touch pwned)', '`touch pwned`', 'a\nb', 'a\u001b[2J', '-n', 'a;b', '!x', 'a\tb']
    const keys = strange.map((name) => `${JSON.stringify(name)}: {}`).join(', ')
    const services = `services: { fine: {}, ${keys} }`
    const path = inventory('strange', {
      'hosts.yaml': `all: { hosts: { fine: { ${services} }, ${keys} }, children: { ${keys} }, vars: { fleet: { profiles: { ${keys} } } } }`,
    })
    expect(await offered(`converge plan -i ${path} -l `)).toEqual(['all', 'ungrouped', 'fine', '@failed', '@unreached'])
    expect(await offered(`converge plan -i ${path} -s `)).toEqual(['fine'])
    for (const shell of ['bash', 'zsh', 'fish']) {
      const args = shell === 'bash' ? ['200', '9', '', `converge plan -i ${path} -l `] : ['plan', '-i', path, '-l', '']
      expect(await complete([shell, ...args], commandLine, { env, cwd: root })).not.toMatch(/pwned|it's|\p{Cc}(?<![\n\t])/u)
    }
  })

  test.each([
    ['broken', 'all: [\n'],
    ['empty', ''],
    ['encrypted', '$ANSIBLE_VAULT;1.1;AES256\n61'],
    ['larger than any', `all: { hosts: { a: } } # ${'x'.repeat(5_000_000)}`],
    ['deep', '{a: '.repeat(20_000)],
    ['many hosts', `all: { hosts: { ${Array.from({ length: 40 }, (_, index) => `h${index}-[1:99999]: `).join(', ')} } }`],
    ['slow', `all: { hosts: { ${'['.repeat(30_000)} } }\n${'- '.repeat(30_000)}`],
    [
      'of aliases',
      `a: &a [1,2]\n${Array.from({ length: 40 }, (_, index) => `b${index}: &b${index} [*b${Math.max(0, index - 1)}, *a]\n`).join('')}`,
    ],
  ])('ends soon and silently if it is %s', async (name, text) => {
    const path = inventory(`bad-${name}`, { 'hosts.yaml': text })
    const began = performance.now()
    const names = await offered(`converge plan -i ${path} -l `)
    expect(names).toContain('all')
    expect(performance.now() - began).toBeLessThan(5000)
  })

  test('is not read from what is no file', async () => {
    const path = inventory('devices', { 'hosts.yaml': 'all: { hosts: { a: } }', 'more.yaml': '-> /dev/zero' })
    expect(await offered(`converge unlock -i ${path} `)).toEqual(['a'])
  })
})

describe('the definitions', () => {
  const all = commandLine.verbs.flatMap(({ name, options, values }) => [
    ...values.map((value) => ({ of: `${name} ${value.name}`, value })),
    ...options.flatMap(({ long, value }) => (value === undefined ? [] : [{ of: `${name} ${long}`, value }])),
  ])
  /** Only the user knows what stands there. */
  const free = ['OLD=NEW', 'branch', 'duration', 'entry', 'hosts', 'id', 'n', 'name', 'seconds', 'text', 'time', 'words']

  test('give every value a name that says what is completed', () => {
    const unknown = all.filter(({ value }) => value.values.length === 0 && !(value.name in sources) && !free.includes(value.name))
    expect(unknown.map(({ of, value }) => `${of}: <${value.name}>`)).toEqual([])
  })

  test('say of the same options that they are repeatable as the help does', () => {
    const options = commandLine.verbs.flatMap(({ name, options: own }) => own.map((option) => ({ name, ...option })))
    const wrong = options.filter(({ about, isRepeatable }) => about.includes('(repeatable') !== isRepeatable)
    expect(wrong.map(({ name, long }) => `${name} ${long}`)).toEqual([])
    expect(options.filter(({ isRepeatable }) => isRepeatable).length).toBeGreaterThan(20)
  })

  test('are plain data, which a build can write down', () => {
    expect(JSON.parse(JSON.stringify(commandLine))).toEqual(commandLine)
  })
})

const render = (line: string, replaced: string, { columns = '80', type = '9' } = {}) =>
  complete(['bash', columns, type, replaced, line], commandLine, { env, cwd: root }).then((text) => text.split('\n').slice(0, -1))

describe('bash', () => {
  test.each([
    ['converge plan --format=ht', 'ht', ['open', 'html']],
    ['converge plan --format=', '', ['open', 'text', 'json', 'ndjson', 'markdown', 'junit', 'sarif', 'prometheus', 'html']],
    [
      "converge plan --limit 'macs:&s",
      'macs:&s',
      ['words', 'macs:&small  (group of 2 hosts)', 'macs:&studio (host with coder, giant)'],
    ],
    ["converge plan --limit='macs:&sm", 'macs:&sm', ['words', 'macs:&small']],
    ['converge plan --limit "macs:&sm', 'macs:&sm', ['words', 'macs:&small']],
    ['converge plan --limit macs:\\!sm', '\\!sm', ['words', '\\!small']],
    ['converge plan --allow WARM.RESTART@fl', '@fl', ['words', '@flagship']],
    ['converge plan --allow WARM.RES', 'WARM.RES', ['open', 'WARM.RESTART@']],
    ['converge explain warm', 'warm', ['words', 'WARM.RESTART']],
    ['converge plan --format=html=si', 'si', ['files', '', 'si', '']],
    ['converge plan --format=html=si', '--format=html=si', ['files', '--format=html=', 'si', '']],
    ['converge apply a\\ pl', 'a\\ pl', ['files', '', 'a pl', '\\.(yaml|yml|json)$']],
  ])('of %s replaces %s', async (line, replaced, expected) => {
    const lines = await render(line, replaced)
    expect(lines.map((one) => one.replace(/ +\(/, ' ('))).toEqual(expected.map((one) => one.replace(/ +\(/, ' (')))
  })

  test('says what candidates are where there is room, and not in a menu', async () => {
    expect(await render('converge plan -l s', 's')).toEqual([
      'words',
      'small   (group of 2 hosts)',
      'studio  (host with coder, giant)',
    ])
    expect(await render('converge plan -l s', 's', { columns: '28' })).toEqual([
      'words',
      'small   (group of 2 hosts)',
      'studio  (host with coder,…)',
    ])
    expect(await render('converge plan -l s', 's', { columns: '20' })).toEqual(['words', 'small', 'studio'])
    expect(await render('converge plan -l s', 's', { type: '37' })).toEqual(['words', 'small', 'studio'])
  })
})

test.each([
  ['a  b', ['a'], 'b', 'b', ''],
  ['a b ', ['a', 'b'], '', '', ''],
  ["a 'b c' d", ['a', 'b c'], 'd', 'd', ''],
  ["a 'b c", ['a'], 'b c', "'b c", "'"],
  ['a "b\\"c\\d', ['a'], 'b"c\\d', '"b\\"c\\d', '"'],
  ['a b\\ c\\', ['a'], 'b c', 'b\\ c\\', ''],
  ["--x='y z", [], '--x=y z', "--x='y z", "'"],
  ["a ''", ['a'], '', "''", ''],
  ['a $(touch x) `y', ['a', '$(touch', 'x)'], '`y', '`y', ''],
  ['', [], '', '', ''],
])('a line is split as a shell would: %s', (line, words, current, raw, quote) => {
  expect(splitTyped(line)).toEqual({ words, current, raw, quote })
})

test('a shell that is unknown gets nothing', async () => {
  for (const args of [[], ['tcsh', 'x'], ['toString', 'x'], ['bash'], ['zsh'], ['fish']])
    expect(typeof (await complete(args, commandLine, { env, cwd: root }))).toBe('string')
  expect(await complete(['tcsh', 'plan'], commandLine, { env, cwd: root })).toBe('')
})
