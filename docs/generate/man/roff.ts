/** Writes the Markdown of the reference pages in the macros of man(7). */

export interface ManPage {
  /** Lower case, without the section: `converge-plan`. */
  readonly name: string
  readonly section: 1 | 5
  /** A phrase without a full stop, for `apropos`. */
  readonly summary: string
  /** Paragraphs, headings, code blocks, lists and tables, as in `docs/reference/`. */
  readonly blocks: readonly string[]
}

export interface Edition {
  readonly version: string
  /** `YYYY-MM-DD` */
  readonly date: string
}

export function renderManPage({ name, section, summary, blocks }: ManPage, { version, date }: Edition): string {
  return [
    `.TH ${name.toUpperCase().replaceAll('-', String.raw`\-`)} ${section} ${date} "converge ${version}" "converge manual"`,
    '.SH NAME',
    `${literal(name)} \\- ${inline(summary)}`,
    ...blocks.map(blockOf),
    '',
  ]
    .join('\n')
    .replaceAll(/^(\.S[HS] .*\n)\.PP\n/gm, '$1')
}

function blockOf(block: string): string {
  const heading = /^(#+) (.*)$/.exec(block)
  if (heading !== null) return headingOf(heading[1]?.length ?? 0, heading[2] ?? '')
  if (block.startsWith('```')) return codeOf(block)
  if (block.startsWith('| ')) return tableOf(block)
  if (block.startsWith('- ')) return block.replaceAll(/^- (.*)$/gm, (_, item: string) => `.IP \\(bu 2\n${line(item)}`)
  return `.PP\n${line(block.replaceAll('\n', ' '))}`
}

function headingOf(depth: number, text: string): string {
  return depth <= 2 ? `.SH ${inline(text).toUpperCase()}` : `.SS ${inline(text)}`
}

function codeOf(block: string): string {
  const lines = block.split('\n').slice(1, -1)
  return ['.PP', '.RS 4', '.EX', ...lines.map((one) => guarded(literal(one))), '.EE', '.RE'].join('\n')
}

/** The first column names what the others explain, the last one in sentences. */
function tableOf(block: string): string {
  const [head = [], , ...rows] = block.split('\n').map(cellsOf)
  const places = head.map((name, index) => ({ name, index })).slice(1)
  const words = places.find(({ name }) => ['Description', 'What it does', 'Meaning'].includes(name)) ?? places.at(-1)
  return rows
    .map((row) => {
      const others = places.filter(({ index }) => index !== words?.index && (row[index] ?? '') !== '')
      const facts = others.map(({ name, index }) => `${name === 'Type or values' ? 'Type' : name}: ${row[index] ?? ''}.`)
      const first = row[words?.index ?? 0] ?? ''
      const text = facts.length === 0 ? first : [first.replace(/[^.]$/, '$&.'), ...facts].join(' ')
      return ['.TP', line(row[0] ?? ''), line(text)].join('\n')
    })
    .join('\n')
}

/** A `|` within a cell is escaped. */
function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

/** Text of one input line: a macro is recognised only at its beginning. */
function line(markdown: string): string {
  return guarded(inline(markdown.trim()))
}

function guarded(text: string): string {
  return /^[.']/.test(text) ? String.raw`\&${text}` : text
}

/** Code spans in bold, emphasis in italics, links by their text. */
function inline(markdown: string): string {
  return markdown
    .replaceAll(/\[((?:`[^`]*`|[^\]`])*)\]\([^)\s]*\)/g, '$1')
    .split(/(`+)( ?)(.*?)\2\1(?!`)/)
    .map((part, index) => pieceOf(part, index % 4))
    .join('')
}

/** @param place of what `split` gives: text, backticks, blank, code */
function pieceOf(part: string, place: number): string {
  if (place === 3) return String.raw`\fB${literal(part)}\fR`
  return place === 0 ? proseOf(part) : ''
}

function proseOf(markdown: string): string {
  return markdown
    .split(/(?<!\\)\*{1,2}((?:[^*\\]|\\.)+)(?<!\\)\*{1,2}/)
    .map((part, index) => {
      const text = escaped(part.replaceAll(/\\([\\<*~$|`_])/g, '$1')).replaceAll(/(?<![\w)])-(?=[\w-])/g, String.raw`\-`)
      return index % 2 === 1 ? String.raw`\fI${text}\fR` : text
    })
    .join('')
}

/** To be copied: each sign as ASCII has it. */
function literal(text: string): string {
  return escaped(text).replaceAll('-', String.raw`\-`).replaceAll("'", String.raw`\(aq`).replaceAll('`', String.raw`\(ga`)
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\e`).replaceAll('^', String.raw`\(ha`).replaceAll('~', String.raw`\(ti`)
}
