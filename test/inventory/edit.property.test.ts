import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseYaml } from '../../src/inventory/parse.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import { plainValue } from '../../src/inventory/yaml-node.ts'
import { stableJson } from '../../src/lib/stable-json.ts'
import { insertEntries } from '../../src/lib/yaml-edit/insert-entries.ts'
import { removeEntry } from '../../src/lib/yaml-edit/remove-entry.ts'
import { setEntry } from '../../src/lib/yaml-edit/set-entry.ts'
import { casesOf } from '../support/series.ts'

type Values = Record<string, unknown>
type Tree = { readonly leaf: string } | TreeMap | { readonly list: readonly Tree[]; readonly indented: boolean }

interface TreeMap {
  readonly step: number
  readonly entries: readonly {
    readonly noise: string
    readonly value: Tree
    readonly quoted: boolean
    readonly anchored: boolean
  }[]
}

/** `BLOCK` is followed by lines below the key, `ALIAS` and `MERGE` use the last anchor. */
const leaf = fc.constantFrom(
  ...[
    '0644',
    '0x270C',
    '1_000',
    '2024-01-01',
    '12:30',
    'text # c',
    "'it''s'",
    '"a\\tb"  # c',
    '!vault x',
    '~',
    'null # c',
    '',
  ].concat(
    ['{}', '{ }  # c', '{a: 1,b: [x,y]}', '{ a: 1, }', '{"a":{"b":0644}}', '[1, {a: 2} ] # c', '"two\n  lines"'],
    ['ALIAS', 'MERGE', 'BLOCK|', 'BLOCK|+', 'BLOCK>-', '# only a comment'],
  ),
)
const noise = fc.constantFrom('', '', '', '# c', '  # c', '     # c', '\n', '\n# c', '   # c\n')

const { map } = fc.letrec<{ tree: Tree; map: TreeMap }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ leaf }),
    tie('map'),
    fc.record({ list: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }), indented: fc.boolean() }),
  ),
  map: fc.record({
    step: fc.integer({ min: 1, max: 4 }),
    entries: fc.array(fc.record({ noise, value: tie('tree'), quoted: fc.boolean(), anchored: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
}))

interface Written {
  readonly lines: string[]
  /** Paths of all mappings and empty values, and what stands there. */
  readonly targets: { readonly path: readonly string[]; readonly kind: 'block' | 'flow' | 'empty' }[]
  anchors: number
  /** Later entries may be aliases of a finished mapping. */
  last: string | undefined
  hasAliases: boolean
}

function writeMap(to: Written, { entries, step }: TreeMap, column: number, path: readonly string[]): void {
  to.targets.push({ path, kind: 'block' })
  for (const [index, { noise: above, value, quoted, anchored }] of entries.entries()) {
    if (above !== '') to.lines.push(...above.split('\n'))
    const name = `k${index}`
    const head = `${' '.repeat(column)}${quoted ? `"${name}"` : name}:`
    if ('leaf' in value) writeLeaf(to, value.leaf, { head, column, path: [...path, name] })
    else if ('list' in value) writeList(to, value, { head, column })
    else {
      const anchor = anchored ? `a${(to.anchors += 1)}` : undefined
      to.lines.push(anchor === undefined ? head : `${head} &${anchor}`)
      writeMap(to, value, column + step, [...path, name])
      to.last = anchor ?? to.last
    }
  }
}

function writeList(
  to: Written,
  { list, indented }: Extract<Tree, { list: unknown }>,
  { head, column }: { head: string; column: number },
) {
  to.lines.push(head)
  const at = ' '.repeat(indented ? column + 2 : column)
  for (const item of list)
    to.lines.push(
      `${at}- ${'leaf' in item && /^[\w'{[]/.test(item.leaf) ? item.leaf.replace(/BLOCK.*|ALIAS|MERGE/, 'x') : 'z: 1'}`,
    )
}

function writeLeaf(to: Written, text: string, { head, column, path }: { head: string; column: number; path: readonly string[] }) {
  const pad = ' '.repeat(column + 2)
  const isAlias = text === 'ALIAS' || text === 'MERGE'
  if (isAlias && to.last !== undefined) to.hasAliases = true
  if (text === 'MERGE' && to.last !== undefined) to.lines.push(head, `${pad}<<: *${to.last}`)
  else if (isAlias) to.lines.push(`${head} ${to.last === undefined ? '1' : `*${to.last}`}`)
  else if (text.startsWith('BLOCK')) to.lines.push(`${head} ${text.slice(5)}`, `${pad}one`, '', `${pad}  two # text`, '')
  else to.lines.push(...`${head}${text === '' ? '' : ` ${text}`}`.replace('\n', `\n${pad}`).split('\n'))
  if (/^(?:|#.*|~|null.*|\{ ?\}.*)$/.test(text)) to.targets.push({ path, kind: 'empty' })
  else if (text.startsWith('{')) to.targets.push({ path, kind: 'flow' })
}

const file = fc
  .record({
    map,
    eol: fc.constantFrom('\n', '\r\n'),
    isOpen: fc.boolean(),
    mark: fc.constantFrom('', '\uFEFF'),
    marks: fc.boolean(),
  })
  .map(({ map: tree, eol, isOpen, mark, marks }) => {
    const written: Written = { lines: [], targets: [], anchors: 0, last: undefined, hasAliases: false }
    writeMap(written, tree, 0, [])
    const lines = marks ? ['# top', '---', ...written.lines, '...'] : written.lines
    return { text: mark + lines.join(eol) + (isOpen ? '' : eol), targets: written.targets, hasAliases: written.hasAliases }
  })

const word = fc.oneof(
  fc.constantFrom('0644', 'yes', 'a\nb', 'a\n\n', '', ' x ', '# c', 'a: b', '\ta', '{', 'l\nm\n', '- x', '*a', '1e3', "it's"),
  fc.string({ maxLength: 8 }),
)
const { value: newValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(word, tie('value'), { maxKeys: 2 }),
  ),
}))
const insertion = fc.record({
  which: fc.nat(),
  below: fc.array(fc.constantFrom('new', 'on', '"'), { maxLength: 2 }),
  entries: fc.dictionary(
    fc.string({ minLength: 1, maxLength: 5 }).map((name) => `new${name}`),
    newValue,
    { minKeys: 1, maxKeys: 2 },
  ),
  comment: fc.array(word, { maxLength: 2 }),
})

/** As converge reads it, which is not how the edits read it. */
function valueOf(text: string): unknown {
  const { root, issues } = parseYaml(sourceText('x.yaml', text.replace(/^\uFEFF/, '')))
  if (issues.length > 0) throw new Error(JSON.stringify(issues))
  return root === undefined ? null : plainValue(root)
}

function mergedAt(value: unknown, path: readonly string[], entries: Values): Values {
  const members = (value ?? {}) as Values
  const [step, ...rest] = path
  return step === undefined ? { ...members, ...entries } : { ...members, [step]: mergedAt(members[step], rest, entries) }
}

function hasMerged(before: string, after: string, path: readonly string[], entries: Values): boolean {
  return stableJson(valueOf(after)) === stableJson(mergedAt(valueOf(before), path, entries))
}

/** The new text is the old one with an insertion in one place. Where `{}` or `null` gives way, all lines but that one are as before. */
function isOnlyInserted(before: string, after: string, isEmpty: boolean): boolean {
  if (isEmpty) {
    const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)]
    return old.some((_, index) => isPartOf(old.toSpliced(index, 1), now))
  }
  let start = 0
  while (start < before.length && before[start] === after[start]) start += 1
  let end = 0
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return start + end === before.length
}

/** In this order, with others between them. */
function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  let at = 0
  for (const line of all) if (line === some[at]) at += 1
  return at === some.length
}

test('entries are inserted into any file, and nothing else changes', { timeout: 120_000 }, () => {
  const counts = { done: 0, refused: 0 }
  fc.assert(
    fc.property(file, insertion, ({ text, targets, hasAliases }, { which, below, entries, comment }) => {
      const target = targets[which % targets.length] ?? root
      const path = [...target.path, ...below]
      const after = insertEntries(text, path, entries, Object.fromEntries(Object.keys(entries).map((name) => [name, comment])))
      if (typeof after !== 'string') {
        counts.refused += 1
        return hasAliases
      }
      counts.done += 1
      const isSameLineEnd = after.includes('\r') === text.includes('\r')
      return isSameLineEnd && hasMerged(text, after, path, entries) && isOnlyInserted(text, after, target.kind === 'empty')
    }),
    { numRuns: casesOf({ short: 1000, long: 20_000 }) },
  )
  expect(counts.done).toBeGreaterThan(counts.refused)
})

test('an entry that was inserted can be removed again', { timeout: 120_000 }, () => {
  const restores = fc.property(file, insertion, ({ text, targets }, { which, entries, comment }) => {
    const maps = targets.filter(({ kind }) => kind === 'block')
    const { path } = maps[which % maps.length] ?? root
    const [[name, value] = ['new', 1]] = Object.entries(entries)
    const after = insertEntries(text, path, { [name]: value }, { [name]: comment })
    return typeof after !== 'string' || removeEntry(after, [...path, name]) === text
  })
  expect(fc.check(restores, { numRuns: casesOf({ short: 250, long: 5000 }) })).toMatchObject({ failed: false })
})

test('a value that was set is there, and only it', { timeout: 120_000 }, () => {
  const name = fc.constantFrom('k0', 'k1', 'state')
  const sets = fc.property(file, fc.nat(), word, name, ({ text, targets, hasAliases }, which, value, key) => {
    const { path } = targets[which % targets.length] ?? root
    const after = setEntry(text, [...path, key], value)
    return typeof after === 'string' ? hasMerged(text, after, path, { [key]: value }) : hasAliases || key !== 'state'
  })
  expect(fc.check(sets, { numRuns: casesOf({ short: 250, long: 5000 }) })).toMatchObject({ failed: false })
})

const root = { path: [], kind: 'block' } as const
