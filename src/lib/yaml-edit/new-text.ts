import { Document, Scalar, type ToStringOptions, visit } from 'yaml'
import { ownMember } from '../own-member.ts'
import { visibleText } from '../visible-text.ts'
import type { Indentation } from './positions.ts'

/** A value on one line. */
export type ScalarValue = string | number | boolean | null

/** Also quotes what only older readers such as Ansible's take for a number, a date or a boolean. */
const options = {
  schema: 'core',
  compat: 'yaml-1.1',
  lineWidth: 0,
  aliasDuplicateObjects: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const

/** Entries for a block mapping. */
export interface BlockEntries {
  /** Keys of mappings to create around the entries. */
  readonly within: readonly string[]
  readonly entries: Readonly<Record<string, unknown>>
  /** By key of an entry: lines above it. */
  readonly comment: Readonly<Record<string, readonly string[]>>
  /** Text of several lines as a block (`|`), or in quotes on one line. */
  readonly hasBlocks: boolean
}

/** Whole lines, each with its line end. */
export function blockText(given: BlockEntries, { step, indentsLists }: Indentation, column: number): string {
  const { within, entries, comment, hasBlocks } = given
  const [outer, ...inner] = within
  if (outer !== undefined) {
    const below = blockText({ ...given, within: inner }, { step, indentsLists }, column + step)
    return `${' '.repeat(column)}${scalarText(outer)}:\n${below}`
  }
  const style = { ...options, indent: step, indentSeq: indentsLists, blockQuote: hasBlocks ? 'literal' : false } as const
  const text = Object.entries(entries)
    .map(([key, value]) => commentText(ownMember(comment, key) ?? []) + yamlText({ [key]: value }, style))
    .join('')
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(column))
}

/** Line breaks of every reader, because the rest of a comment after one would be content. */
function commentText(lines: readonly string[]): string {
  return lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u0085\u2028\u2029]/))
    .map((line) => `${`# ${visibleText(line)}`.trimEnd()}\n`)
    .join('')
}

/** How a flow mapping is written. */
export interface FlowStyle {
  /** With all text in double quotes, as in JSON. */
  readonly isQuoted: boolean
  /** `{ a: 1 }` */
  readonly isPadded: boolean
  /** Each entry has a line of its own: the blanks before its key, and those that each level adds. */
  readonly lines?: { readonly indent: string; readonly step: string }
}

/** Entries of a flow mapping, without its braces. */
export function flowEntries(entries: Readonly<Record<string, unknown>>, { lines, ...style }: FlowStyle): readonly string[] {
  return Object.entries(entries).map(([key, value]) => {
    const isPretty = style.isQuoted && lines !== undefined
    if (!isPretty)
      return oneLine({ [key]: value }, style)
        .slice(1, -1)
        .trim()
    return escaped(`${JSON.stringify(key)}: ${JSON.stringify(value, null, lines.step).replaceAll('\n', `\n${lines.indent}`)}`)
  })
}

/** @param style `lines.indent` is that of the entries */
export function flowMap(entries: Readonly<Record<string, unknown>>, style: FlowStyle): string {
  const { lines, isPadded } = style
  const written = flowEntries(entries, style)
  if (lines === undefined) return isPadded ? `{ ${written.join(', ')} }` : `{${written.join(', ')}}`
  const outer = lines.indent.slice(0, lines.indent.length - lines.step.length)
  return `{\n${written.map((entry) => lines.indent + entry).join(',\n')}\n${outer}}`
}

/** A value on one line, for a block or a flow mapping. */
export function scalarText(value: ScalarValue): string {
  return oneLine([value], { isQuoted: false, isPadded: false }).slice(1, -1)
}

function oneLine(value: unknown, { isQuoted, isPadded }: Omit<FlowStyle, 'lines'>): string {
  const quoted: ToStringOptions = {
    defaultKeyType: 'QUOTE_DOUBLE',
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedAsJSON: true,
  }
  // Without quotes, text of several lines would be on several.
  const isLong = JSON.stringify(value).includes(String.raw`\n`)
  const style = {
    ...options,
    collectionStyle: 'flow',
    flowCollectionPadding: isPadded,
    ...(isQuoted || isLong ? quoted : {}),
  } as const
  return yamlText(value, style).trimEnd()
}

/** Characters that are line breaks, or nothing, for some readers. They are escaped, which takes double quotes. */
const oddCharacters = /[\u0085\u2028\u2029\ufeff]/g

function yamlText(value: unknown, style: ToStringOptions): string {
  const document = new Document(value, options)
  visit(document, {
    Scalar: (_, node) => {
      const text = typeof node.value === 'string' ? node.value : ''
      // Ansible's reader takes these otherwise without quotes, or not at all.
      if (text.search(oddCharacters) >= 0 || /^=$|^[?:]|:\?|\t/u.test(text)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escaped(document.toString(style))
}

function escaped(text: string): string {
  return text.replace(oddCharacters, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
