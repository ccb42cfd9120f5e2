import { expect, test } from 'vitest'
import { commandCalled, wholeProgram } from '../../docs/generate/commands-page.ts'
import { variablesRead, variablesSet } from '../../docs/generate/environment-page.ts'
import { manPages } from '../../docs/generate/man/pages.ts'
import { renderManPage } from '../../docs/generate/man/roff.ts'
import { recordOf } from '../../docs/generate/schema-fields.ts'
import { published } from '../../schemas/published.ts'
import { verbs } from '../../src/cli/verbs/index.ts'
import { exitCodes } from '../../src/context/exit-code.ts'

const pages = await manPages()
const program = await wholeProgram()

/** What a reader sees of it, without fonts. */
function shown(page: string): string {
  return (pages.get(page) ?? `there is no ${page}`)
    .replaceAll(/\\f[BIR]|\\&/g, '')
    .replaceAll(/\\\((aq|ga|ha|ti|bu)/g, (_, sign: string) => ({ aq: "'", ga: '`', ha: '^', ti: '~' })[sign] ?? '•')
    .replaceAll(String.raw`\-`, '-')
    .replaceAll(String.raw`\e`, '\\')
}

/** What the terms of a page are; a table cell holds no bare `|`. */
function termsOf(page: string): readonly string[] {
  return [...shown(page).matchAll(/^\.TP\n(.*)$/gm)].map(([, term = '']) => term)
}

test('each command has a page, and there are no others', () => {
  const names = Object.keys(verbs).map((name) => `converge-${name}.1`)
  expect([...pages.keys()].toSorted()).toEqual(['converge.1', 'converge-inventory.5', ...names].toSorted())
})

test.for(Object.keys(verbs))('the page of %s has each of its options and arguments', (name) => {
  const command = commandCalled(program, name)
  const options = command.options.filter(({ hidden }) => !hidden).map(({ flags }) => flags)
  const terms = termsOf(`converge-${name}.1`)
  expect(terms).toEqual(expect.arrayContaining([...options, '-h, --help']))
  for (const argument of command.registeredArguments) expect(terms.join('\n')).toContain(argument.name())
  for (const [example] of verbs[name]?.examples ?? []) expect(shown(`converge-${name}.1`)).toContain(`converge ${example}`)
})

test('converge(1) has each command, exit code, variable and file', () => {
  const terms = termsOf('converge.1')
  const wanted = [Object.keys(verbs), Object.values(exitCodes).map(String), Object.keys({ ...variablesRead, ...variablesSet })]
  expect(terms).toEqual(expect.arrayContaining(wanted.flat()))
  expect(terms).toEqual(
    expect.arrayContaining(['-V, --version', '~/.local/state/converge', '~/.cache/converge', '~/.ssh/config']),
  )
})

test.for(['service', 'vars', 'fleet', 'model'])('converge-inventory(5) has each field of %s', (name) => {
  const fields = Object.keys(recordOf(recordOf(recordOf(published['inventory']?.['$defs'])[name])['properties']))
  expect(fields.length).toBeGreaterThan(1)
  expect(termsOf('converge-inventory.5')).toEqual(expect.arrayContaining(fields))
})

test('text is neither a macro nor an escape', () => {
  const blocks = [
    '.TH is a macro',
    "'tis \\\\n and `a\\nb '--x'`",
    '| A | B |\n|---|---|\n| `.x` | one \\| two |',
    '```sh\n.so /etc/passwd\n```',
  ]
  const page = renderManPage({ name: 'x', section: 1, summary: 'x', blocks }, { version: '1', date: '2026-11-01' })
  const paragraphs = String.raw`.PP
\&.TH is a macro
.PP
\&'tis \en and \fBa\enb \(aq\-\-x\(aq\fR`
  const rest = String.raw`.TP
\fB.x\fR
one | two
.PP
.RS 4
.EX
\&.so /etc/passwd
.EE
.RE
`
  expect(page.split('\n').slice(3).join('\n')).toBe(`${paragraphs}\n${rest}`)
})
