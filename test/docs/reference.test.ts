import { globSync, readdirSync, readFileSync } from 'node:fs'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { variablesRead, variablesSet } from '../../docs/generate/environment-page.ts'
import { banner, code, prose, table } from '../../docs/generate/markdown.ts'
import { generateReference } from '../../docs/generate/reference.ts'
import { verbs } from '../../src/cli/verbs/index.ts'
import { exitCodeTable, exitCodeWords } from '../../src/context/exit-code-words.ts'
import { catalogue } from '../../src/errors/catalogue.ts'
import { rules } from '../../src/policy/index.ts'

const folder = 'docs/reference'
const pages = await generateReference()

describe('the reference', () => {
  test('is what the code says now', () => {
    expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted())
    for (const [name, content] of pages)
      expect
        .soft(readFileSync(`${folder}/${name}`, 'utf8') === content, `run \`npm run generate\`: ${folder}/${name} is old`)
        .toBe(true)
  })

  test.each([...pages])('%s says what it is, and no row twice', (_, content) => {
    const [first, , title, , about] = content.split('\n')
    expect(first).toBe(banner)
    expect(title).toMatch(/^# \S/)
    expect(about).toMatch(/\.$/)
    for (const section of content.split(/^#+ /m)) {
      const rows = section.split('\n').filter((line) => line.startsWith('| '))
      expect.soft(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([])
    }
  })

  test.each([...pages])('%s is the Markdown that was meant', (name, content) => {
    const tables = content.split('\n\n').filter((block) => block.startsWith('| '))
    for (const block of tables) expect.soft(new Set(block.trim().split('\n').map(cellsIn)).size, block.slice(0, 200)).toBe(1)
    const html = toHtml(content)
    expect(html.match(/<table>/g)?.length ?? 0, `tables of ${name}`).toBe(tables.length)
    expect(html.match(/<(?!\/?(?:h[1-6]|p|code|pre|table|thead|tbody|tr|th|td|a|ul|li|strong|em)\b|!--)[^>]*>/g)).toBe(null)
  })

  test.each([...pages])('%s links to what exists', (_, content) => {
    for (const [, page = '', heading = ''] of content.matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)) {
      const target = page === '' ? content : (pages.get(page) ?? readFileSync(`${folder}/${page}`, 'utf8'))
      const anchors = anchorsOf(target)
      expect.soft(new Set(anchors).size, 'a heading stands twice').toBe(anchors.length)
      expect.soft(['', ...anchors]).toContain(heading)
    }
  })

  test('leaves no command and no code out', () => {
    const commands = Object.keys(verbs).map((name) => `converge ${name}`)
    const codes = [...rules.map((rule) => rule.code), ...Object.keys(catalogue)]
    expect(headingsOf('commands.md')).toEqual(commands.toSorted(inOrder))
    expect(headingsOf('codes.md')).toEqual(codes.toSorted(inOrder))
  })
})

describe('variables of the environment', () => {
  const sources = globSync('src/**/*.ts')
    .filter((path) => !path.startsWith('src/generated/'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

  test.each(Object.keys({ ...variablesRead, ...variablesSet }))('%s is in src/', (name) => {
    const word = new RegExp(String.raw`\b${name}\b`)
    expect(sources.some(({ text }) => word.test(text))).toBe(true)
  })

  test('that converge reads by name are all documented', () => {
    // Those of a server's process are no business of this machine's environment.
    const read = sources
      .filter(({ path }) => !path.startsWith('src/servers/'))
      .flatMap(({ text }) => [...text.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, name]) => name))
    expect([...new Set(read)].filter((name) => !Object.hasOwn(variablesRead, name ?? ''))).toEqual([])
  })
})

test('the exit codes of `converge --help` are those of the reference', () => {
  for (const { title } of Object.values(exitCodeWords)) expect.soft(exitCodeTable()).toContain(`  ${title}`)
})

describe('Markdown', () => {
  test.each([
    ['a | b', 'a | b'],
    ['all < group <b>', 'all &lt; group &lt;b&gt;'],
    ['`a|b` and `<x>`', '<code>a|b</code> and <code>&lt;x&gt;</code>'],
    ['a ` alone', 'a ` alone'],
    ['*** and _x_ and a_b', '*** and _x_ and a_b'],
    ['leave --limit out of $HOME', 'leave <code>--limit</code> out of <code>$HOME</code>'],
    ['NO_COLOR, LOG.UNBOUNDED.', '<code>NO_COLOR</code>, <code>LOG.UNBOUNDED</code>.'],
  ])('of %j in a table shows it as it is', (text, shown) => {
    expect(toHtml(table(['head'], [[prose(text)]]))).toContain(`<td>${shown}</td>`)
  })

  test('of code holds backticks', () => {
    expect(toHtml(code('a `b` | c'))).toBe('<p><code>a `b` | c</code></p>')
  })
})

function cellsIn(row: string): number {
  return row.replaceAll(String.raw`\|`, '').split('|').length
}

function headingsOf(page: string): readonly string[] {
  return [...(pages.get(page) ?? '').matchAll(/^### (.*)$/gm)].flatMap(([, heading = '']) => heading).toSorted(inOrder)
}

/** As GitHub makes them; in code, `#` begins a comment. */
function anchorsOf(page: string): readonly string[] {
  return [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(' ', '-')
      .replace(/[^\w-]/g, ''),
  )
}

function inOrder(a: string, b: string): number {
  return a.localeCompare(b)
}

function toHtml(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true })
}
