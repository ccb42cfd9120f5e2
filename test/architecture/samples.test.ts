import { describe, expect, test } from 'vitest'
import { blankComments, blankStrings } from './blank.ts'
import { definedCodes, duplicates, undocumented, unprovenRules, unraised, unregisteredRules } from './codes.ts'
import { badNames, defaultExports, enums, falseRegistries, overlong, revealers } from './conventions.ts'
import { heavyAtOnce, unprefixedBuiltins, wrongHomes } from './dependencies.ts'
import { importsOf } from './imports.ts'
import { importRings, placeOf, wrongDirections } from './layers.ts'
import { impurities } from './purity.ts'
import { type SourceFile, sourceFile } from './source-file.ts'

/** A sample: file names with their text. */
function files(samples: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(samples).map(([path, text]) => sourceFile(path, text))
}

describe('what is code and what is text', () => {
  test.each([
    ['a // b\nc', 'a     \nc', 'a     \nc'],
    ['a /* b\n*/ c', 'a     \n   c', 'a     \n   c'],
    ["x = '// no' // yes", "x = '// no'       ", "x = '     '       "],
    ['x = "it\'s" // yes', 'x = "it\'s"       ', 'x = "    "       '],
    ["x = 'a\\'b' + c", "x = 'a\\'b' + c", "x = '    ' + c"],
    ['`a ${b /* c */} d`', '`a ${b        } d`', '`  ${b        }  `'],
    ['`a ${`b ${c} d`} e` // f', '`a ${`b ${c} d`} e`     ', '`  ${`  ${c}  `}  `     '],
    ['`${{ a: { b } }.a}` // f', '`${{ a: { b } }.a}`     ', '`${{ a: { b } }.a}`     '],
    ['`a \\` b \\${c} $d`', '`a \\` b \\${c} $d`', '`               `'],
    ["x = /'/ // y", "x = /'/     ", 'x = / /     '],
    ["x = /[/']/.test('a')", "x = /[/']/.test('a')", "x = /    /.test(' ')"],
    ['return /"/g', 'return /"/g', 'return / /g'],
    ['a / b / c // d', 'a / b / c     ', 'a / b / c     '],
    ['f(x) / 2 + "a/b"', 'f(x) / 2 + "a/b"', 'f(x) / 2 + "   "'],
    ['#!/usr/bin/env node\na', '                   \na', '                   \na'],
  ])('%j', (text, withoutComments, code) => {
    expect(blankComments(text)).toBe(withoutComments)
    expect(blankStrings(withoutComments)).toBe(code)
  })
})

describe('what counts as an import', () => {
  test.each([
    ["import a from './b.ts'", 'static', 'src/x/b.ts'],
    ["import type { A } from '../b.ts'", 'type', 'src/b.ts'],
    ["import { type A } from './b.ts'", 'static', 'src/x/b.ts'],
    ["import * as a from './b.ts'", 'static', 'src/x/b.ts'],
    ["import a, { b,\n c } from './b.ts'", 'static', 'src/x/b.ts'],
    ["import './b.ts'", 'static', 'src/x/b.ts'],
    ["export * from './b.ts'", 'static', 'src/x/b.ts'],
    ["export { a } from './b.ts'", 'static', 'src/x/b.ts'],
    ["export type { A } from './b.ts'", 'type', 'src/x/b.ts'],
    ["const a = await import('./b.ts')", 'dynamic', 'src/x/b.ts'],
    ['const a = () => import("./b.ts")', 'dynamic', 'src/x/b.ts'],
  ])('%s', (text, kind, target) => {
    expect(importsOf(sourceFile('src/x/a.ts', text))).toMatchObject([{ kind, target }])
  })

  test.each([
    "// import a from './b.ts'",
    '"import a from \'./b.ts\'"',
    "x = Array.from('./b.ts')",
    "export type A = 'x'\nfrom './b.ts'",
  ])('not %s', (text) => expect(importsOf(sourceFile('src/x/a.ts', text))).toEqual([]))
})

describe('layers', () => {
  test('an import that points up is found, whatever its form', () => {
    const upper = { 'src/apply/b.ts': '', 'src/policy/b.ts': '', 'src/load/load.ts': '', 'src/cli/b.ts': '' }
    expect(wrongDirections(files({ ...upper, 'src/model/a.ts': "import type { B } from '../policy/b.ts'" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...upper, 'src/plan/a.ts': "const b = () => import('../apply/b.ts')" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...upper, 'src/inventory/a.ts': "import { b } from '../load/load.ts'" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...upper, 'src/verify/a.ts': "export * from '../cli/b.ts'" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...upper, 'src/apply/a.ts': "import { b } from '../policy/b.ts'" }))).toEqual([])
    expect(
      wrongDirections(files({ ...upper, 'src/policy/a.ts': "import { b } from '../plan/b.ts'", 'src/plan/b.ts': '' })),
    ).toHaveLength(1)
    expect(wrongDirections(files({ ...upper, 'src/plan/a.ts': "import { b } from '../policy/b.ts'" }))).toEqual([])
  })

  test('nouns know nothing of verbs', () => {
    const sample = { 'src/lib/b.ts': '', 'src/errors/b.ts': '', 'src/model/b.ts': '' }
    expect(wrongDirections(files({ ...sample, 'src/model/a.ts': "import { b } from '../lib/b.ts'" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...sample, 'src/errors/a.ts': "import { b } from '../lib/b.ts'" }))).toHaveLength(1)
    expect(wrongDirections(files({ ...sample, 'src/lib/a.ts': "import { b } from '../errors/b.ts'" }))).toEqual([])
  })

  test('files in no room and imports of nothing are found', () => {
    expect(placeOf('src/extras/a.ts')).toBe(-1)
    expect(wrongDirections(files({ 'src/extras/a.ts': '' }))).toHaveLength(1)
    expect(wrongDirections(files({ 'src/plan/a.ts': "import { b } from './gone.ts'" }))).toHaveLength(1)
  })

  test('a ring of imports is found once, types included', () => {
    const ring = { 'src/a.ts': "import './b.ts'", 'src/b.ts': "import type { C } from './c.ts'", 'src/c.ts': "import './a.ts'" }
    expect(importRings(files(ring))).toEqual(['src/a.ts → src/b.ts → src/c.ts → src/a.ts'])
    expect(importRings(files({ 'src/a.ts': "import './a.ts'" }))).toEqual(['src/a.ts → src/a.ts'])
    expect(importRings(files({ ...ring, 'src/c.ts': '' }))).toEqual([])
  })
})

describe('purity', () => {
  test.each([
    'export async function a() {}',
    'const a: Promise<void> = b',
    'await a',
    'const a = Date.now()',
    'const a = new Date()',
    'const a = new Date',
    'const a = new Date ( )',
    'const a = Date()',
    'const a = Math.random()',
    'const a = `${process.env}`',
    "const a = process['env']",
    'export function a(process: P) { return process.argv }\nexport function b() { return process.argv }',
    'process.exit(1)',
    "console.log('a')",
    'const a = performance.now()',
    'const a = crypto.randomUUID()',
    'setTimeout(a, 1)',
    'const a = fetch(b)',
    'globalThis.a = 1',
    "import { readFileSync } from 'node:fs'",
    "import fs from 'fs'",
    "import { createHash } from 'node:crypto'",
    "const a = () => import('node:os')",
  ])('%s is found', (text) => {
    expect(impurities(files({ 'src/plan/a.ts': text }))).not.toEqual([])
    expect(impurities(files({ 'src/apply/a.ts': text }))).toEqual([])
  })

  test.each([
    '// async: Date.now()',
    "const a = 'async process.env'",
    'const a = state.process.pid',
    'const a = state.process.env',
    'const a = process.pid === process.start',
    'export function a(process: P) {\n  return process.argv\n}',
    'const a = all.map((process) => process.argv)',
    'const a = all.map(({ process }) => process.title)',
    'const a = new Date(b)',
    'const a = Date.parse(b)',
    "import type { Duplex } from 'node:stream'",
    'const a = Math.max(1)',
    'const prefetch = (a) => a',
  ])('%s is left alone', (text) => {
    expect(impurities(files({ 'src/plan/a.ts': text }))).toEqual([])
  })

  test('hashing is allowed in one place', () => {
    expect(impurities(files({ 'src/lib/digest.ts': "import { createHash } from 'node:crypto'" }))).toEqual([])
    expect(impurities(files({ 'src/lib/digest.ts': "import { readFileSync } from 'node:fs'" }))).toHaveLength(1)
  })
})

describe('packages', () => {
  const homes = { a: ['src/lib/a.ts'], '@b/c': ['src/cli/b.ts'] }
  const good = {
    'src/lib/a.ts': "import { a } from 'a/part'",
    'src/cli/b.ts': "import { b } from '@b/c'",
    'src/cli/verbs/c.ts': "import type { B } from '@b/c'",
  }

  test('an import out of place, an idle place and an undeclared package are found', () => {
    expect(wrongHomes(files(good), homes, ['a', '@b/c'])).toEqual([])
    expect(wrongHomes(files({ ...good, 'src/lib/x.ts': "const a = () => import('a')" }), homes, ['a', '@b/c'])).toHaveLength(1)
    expect(wrongHomes(files({ ...good, 'src/lib/x.ts': "import type { B } from '@b/c/d'" }), homes, ['a', '@b/c'])).toHaveLength(
      1,
    )
    expect(wrongHomes(files({ ...good, 'src/lib/a.ts': '' }), homes, ['a', '@b/c'])).toHaveLength(1)
    expect(wrongHomes(files(good), homes, ['@b/c'])).toHaveLength(1)
    expect(wrongHomes(files({ 'src/lib/x.ts': "import 'new'" }), {}, ['new'])).toHaveLength(1)
    expect(wrongHomes(files({ ...good, 'src/cli/verbs/c.ts': "import { b } from '@b/c'" }), homes, ['a', '@b/c'])).toHaveLength(1)
  })

  test('a heavy package that is loaded at once is found, with the way it came', () => {
    const sample = { 'src/a.ts': "import './b.ts'\nimport 'light'", 'src/b.ts': "import { x } from 'heavy/part'" }
    expect(heavyAtOnce('src/a.ts', files(sample), ['heavy'])).toEqual(['heavy is loaded at once: src/a.ts → src/b.ts'])
    const lazy = {
      'src/a.ts': "import type { B } from './b.ts'\nawait import('./b.ts')\nawait import('heavy')",
      'src/b.ts': "import 'heavy'",
    }
    expect(heavyAtOnce('src/a.ts', files(lazy), ['heavy'])).toEqual([])
    expect(heavyAtOnce('src/gone.ts', files(lazy), ['heavy'])).toHaveLength(1)
  })

  test('a module of Node’s without node: is found', () => {
    expect(unprefixedBuiltins(files({ 'src/x.ts': "import fs from 'fs'\nimport p from 'node:path'" }))).toHaveLength(1)
  })
})

test.each(['secret.reveal()', "secret['reveal']()", 'const { reveal } = secret', 'keys.map((key) => key\n.reveal())'])(
  '%s is found',
  (text) => {
    expect(revealers(files({ 'src/report/a.ts': text }), [])).toHaveLength(1)
    expect(revealers(files({ 'src/transports/a.ts': text }), ['src/transports/a.ts'])).toEqual([])
    expect(revealers(files({ 'src/transports/a.ts': '// reveal' }), ['src/transports/a.ts'])).toHaveLength(1)
  },
)

describe('codes', () => {
  const entry = { code: 'PORT.TAKEN', title: 'a port is taken', explain: 'Something else listens there. Stop it.' }

  test('a duplicate code is found', () => expect(duplicates(['A.B', 'C.D', 'A.B'])).toEqual(['A.B: is there twice']))

  test('a code without words is found', () => {
    expect(undocumented([entry])).toEqual([])
    expect(undocumented([{ ...entry, title: ' ' }])).toHaveLength(1)
    expect(undocumented([{ ...entry, explain: '' }])).toHaveLength(1)
    expect(undocumented([{ ...entry, explain: 'something is wrong with it' }])).toHaveLength(1)
    expect(undocumented([{ ...entry, code: 'port.taken' }])).toHaveLength(1)
  })

  test('the keys of a catalogue are read, those in comments are not', () => {
    const text = "export const a = {\n  'A.B': { title: 'C.D' },\n  // 'E.F': {},\n  \"G.H_I\": {},\n}"
    expect(definedCodes(sourceFile('src/errors/codes/a.ts', text))).toEqual(['A.B', 'G.H_I'])
  })

  test('a code that only the catalogue or a comment names is found', () => {
    const sample = { 'src/errors/codes/a.ts': "'A.B'", 'src/x.ts': "// 'A.B'", 'src/y.ts': "throw new E('C.D')" }
    expect(unraised(['A.B', 'C.D'], files(sample))).toEqual(['A.B: is raised nowhere'])
  })

  test('a rule outside the registry is found', () => {
    const sample = files({ 'src/policy/a.ts': "export const a = {\n  code: 'A.B',\n}" })
    expect(unregisteredRules(['A.B'], sample)).toEqual([])
    expect(unregisteredRules([], sample)).toHaveLength(1)
  })

  test('a rule without an example either way is found', () => {
    const fixtures = [
      'test/fixtures/policy/A.B/refuses-x.yaml',
      'test/fixtures/policy/A.B/allows-x.json',
      'test/fixtures/policy/C.D/allows.yaml',
    ]
    expect(unprovenRules(['A.B', 'C.D'], fixtures)).toHaveLength(2)
  })
})

describe('conventions', () => {
  test.each([
    "export * from './a.ts'",
    "export { a } from './a.ts'",
    "import { a } from './a.ts'\nexport { a }",
    '',
    'export const a = () => { return 1 }',
    'export function a() {}',
  ])('an index.ts with %j is no registry', (text) => expect(falseRegistries(files({ 'src/x/index.ts': text }))).not.toEqual([]))

  test('a registry is one, lazy entries included', () => {
    const text =
      "import { a } from './a.ts'\nexport interface E { load: () => unknown }\nexport const all = { a, b: () => import('./b.ts') }"
    expect(falseRegistries(files({ 'src/x/index.ts': text, 'src/x/y.ts': "export * from './a.ts'" }))).toEqual([])
  })

  test.each([
    'src/lib/utils.ts',
    'test/helpers.ts',
    'src/a/string-utils.ts',
    'src/common.ts',
    'src/lib/readFile.ts',
    'src/lib/read_file.ts',
  ])('%s is a bad name', (path) => expect(badNames([path])).toHaveLength(1))

  test('good names pass', () =>
    expect(badNames(['src/lib/read-file.ts', 'test/x.test.ts', 'src/generated/a.d.ts', 'src/main.ts'])).toEqual([]))

  test.each(['export default 1', 'export default function a() {}', 'export { a as default }'])('%s is found', (text) => {
    expect(defaultExports(files({ 'src/a.ts': text }), [])).toHaveLength(1)
    expect(defaultExports(files({ 'src/a.ts': text }), ['a.ts'])).toEqual([])
  })

  test.each(['enum A { B }', 'export const enum A {\n B }', 'declare enum A { B }'])('%s is found', (text) => {
    expect(enums(files({ 'src/a.ts': text }))).toHaveLength(1)
  })

  test('a file that is too long is found', () => {
    expect(overlong(files({ 'src/a.ts': 'a\n'.repeat(301), 'src/b.ts': 'a\n'.repeat(300) }), 300)).toEqual([
      'src/a.ts: has 301 lines, more than 300',
    ])
  })
})
