import { stripVTControlCharacters } from 'node:util'
import type { Output } from './context.ts'

/**
 * Breaks lines between words where a terminal would break them in the middle of one; what follows stands below the words it
 * belongs to. A word that is longer than the terminal stays whole, and so do a command, which is to be copied, and the lines of a
 * diff or of an excerpt, which would not be one any more.
 *
 * @param columns of the terminal; undefined: it is none, and nothing is broken
 */
export function foldText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text
  return text
    .split('\n')
    .map((line) => (width(line) <= columns || isDiff(line) || isExcerpt(line) ? line : foldLine(line, columns)))
    .join('\n')
}

/** Undefined for what is no terminal. */
export function terminalWidth({ isTerminal, columns }: Pick<Output, 'isTerminal' | 'columns'>): number | undefined {
  return isTerminal ? columns : undefined
}

/** Signs, and labels of several lines, below which nothing else is to stand. */
const lead = /^ *(?:(?:seen|next|left|undone): +|[^\p{L}\p{N}\s] )?/u

function foldLine(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line)
  const indent = lead.exec(plain)?.[0].length ?? 0
  const rows: string[] = []
  let row = ''
  for (const word of wordsOf(line)) {
    const fits = width(row) + width(word.trimEnd()) <= columns
    if (!fits && width(row) > indent) {
      rows.push(row.trimEnd())
      row = ' '.repeat(indent)
    }
    row += word
  }
  return [...rows, row].join('\n')
}

/** Each with the spaces that follow it; those in front of the first belong to the first. */
function wordsOf(line: string): readonly string[] {
  return line.match(/^\s*\S+\s*|\S+\s*/g) ?? []
}

function isDiff(line: string): boolean {
  return /^ {6}([-+]|@@)/.test(stripVTControlCharacters(line))
}

/** A line of a file, with its number and what is wrong in it: the marks below it stand under its columns. */
function isExcerpt(line: string): boolean {
  return /^ *>? *\d* \|/.test(stripVTControlCharacters(line))
}

function width(text: string): number {
  return stripVTControlCharacters(text).length
}
