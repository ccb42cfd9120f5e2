import { stripVTControlCharacters } from 'node:util'

/** Codes that mark how the lines of a text may be wrapped. They never reach a terminal, and like colours have no width. */
export const marks = { whole: '\u001b[9001m', wholeEnds: '\u001b[9002m', hang: '\u001b[9003m' } as const

/** Columns of a text; before `loadWidths`, wide characters count as one. */
let widthOf = (text: string): number => stripVTControlCharacters(text).length

/** For output to a terminal: loading the library takes a tenth of the time of a short run. */
export async function loadWidths(): Promise<void> {
  ;({ default: widthOf } = await import('string-width'))
}

/** Longer lines are hard to read, however wide the terminal is. */
const widest = 120

const escaped = (code: string) => code.replace('[', String.raw`\[`)
const anyMark = new RegExp(Object.values(marks).map(escaped).join('|'), 'g')
/** A word, or a range that stays whole, with the spaces after it; leading spaces belong to the first one. */
const words = new RegExp(` *(?:${escaped(marks.whole)}.*?${escaped(marks.wholeEnds)}|[^ ])+ *`, 'g')

/** The width that a stream reports: none for non-terminals, and some pseudo terminals report 0 for unknown. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The columns for output to a stream; undefined: not a terminal. */
export function columnsOf({ isTTY = false, columns = 0 }: Terminal): number | undefined {
  if (!isTTY) return undefined
  return columns > 0 ? columns : 80
}

/**
 * Wraps lines between words where a terminal would break them within one; continuation lines are aligned with the text they belong to. A word
 * wider than the terminal stays whole, as do marked ranges. Wide characters (CJK, emoji) count two columns.
 *
 * @param columns undefined: no wrapping
 * @returns the text without the codes
 */
export function wrapProse(text: string, columns: number | undefined): string {
  const wrapped = columns === undefined ? text : text.replace(/[^\n]+/g, (line) => wrapLine(line, Math.min(columns, widest)))
  return wrapped.replace(anyMark, '')
}

function wrapLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line
  const hang = Math.min(hangOf(line), Math.floor(columns / 2))
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const word of line.match(words) ?? []) {
    if (width > hang && width + widthOf(word.trimEnd()) > columns) {
      rows.push(row.trimEnd())
      row = ' '.repeat(hang)
      width = hang
    }
    row += word
    width += widthOf(word)
  }
  return [...rows, row].join('\n')
}

/** The column of continuation lines. */
function hangOf(line: string): number {
  const at = line.indexOf(marks.hang)
  return at >= 0 ? widthOf(line.slice(0, at)) : Math.max(0, stripVTControlCharacters(line).search(/[^ ]/))
}
