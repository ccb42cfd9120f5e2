import type { List, Paragraph, PhrasingContent, RootContent, Table } from 'mdast'
import { gfmAutolinkLiteralToMarkdown } from 'mdast-util-gfm-autolink-literal'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'

/** A part of a document. */
export type Block = RootContent

/** Limits of a table: its rows, its characters, and the characters of one value. */
const mostRows = 200
const longestTable = 20_000
const longestCell = 200

/** Addresses stay text: they come from inventories and hosts, and no reader should follow one by a click. */
export function write(children: readonly Block[]): string {
  return toMarkdown(
    { type: 'root', children: [...children] },
    { extensions: [gfmTableToMarkdown({ tablePipeAlign: false }), gfmAutolinkLiteralToMarkdown()], bullet: '-' },
  )
}

export function words(value: string): PhrasingContent {
  return { type: 'text', value }
}

export function codeSpan(value: string): PhrasingContent {
  return { type: 'inlineCode', value }
}

export function strong(value: string): PhrasingContent {
  return { type: 'strong', children: [words(value)] }
}

export function text(value: string): Paragraph {
  return paragraph([words(value)])
}

export function paragraph(children: readonly PhrasingContent[]): Paragraph {
  return { type: 'paragraph', children: [...children] }
}

export function heading(depth: 2 | 4, value: string): Block {
  return { type: 'heading', depth, children: [words(oneLine(value))] }
}

export function bullets(items: readonly (readonly PhrasingContent[])[]): List {
  return {
    type: 'list',
    ordered: false,
    spread: false,
    children: items.map((item) => ({ type: 'listItem', spread: false, children: [paragraph(item)] })),
  }
}

/** The first items, and the number of the others. */
export function cutBullets(items: readonly (readonly PhrasingContent[])[]): readonly Block[] {
  const more = items.length - mostRows
  return [bullets(items.slice(0, mostRows)), ...(more <= 0 ? [] : [text(`… and ${more} more.`)])]
}

/** The rows that fit, with long values cut, and the number of the others. */
export function cutTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly Block[] {
  const cut = rows.slice(0, mostRows).map((cells) => cells.map(cutCell))
  let length = 0
  const fitting = cut.filter((cells) => {
    length += cells.reduce((sum, cell) => sum + cell.length + 3, 1)
    return length <= longestTable
  })
  const more = rows.length - fitting.length
  return [table(head, fitting), ...(more === 0 ? [] : [text(`… and ${more} more.`)])]
}

function cutCell(cell: string): string {
  return cell.length <= longestCell ? cell : `${cell.slice(0, longestCell).toWellFormed()}… (${cell.length} characters)`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): Table {
  return {
    type: 'table',
    children: [head, ...rows].map((cells) => ({
      type: 'tableRow',
      children: cells.map((cell) => ({ type: 'tableCell', children: [words(oneLine(cell))] })),
    })),
  }
}

export function oneLine(value: string): string {
  return value.replace(/\s*\n\s*/g, ' ')
}

/** For text between tags. */
export function plainHtml(value: string): string {
  return oneLine(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** @param title HTML */
export function folded(title: string, content: readonly Block[]): string {
  return `<details><summary>${title}</summary>\n\n${write(content)}\n</details>\n`
}

export function fence(value: string, lang = 'text'): Block {
  return { type: 'code', lang, value }
}
