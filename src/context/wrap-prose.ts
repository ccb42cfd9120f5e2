import { stripVTControlCharacters } from 'node:util'

/** Codes by which a text says how its lines may be broken. No terminal gets them, and like colours they have no width. */
export const marks = { whole: '\u001b[9001m', wholeEnds: '\u001b[9002m', hang: '\u001b[9003m' } as const

/** Columns of a text; before `loadWidths`, wide characters count one. */
let widthOf = (text: string): number => stripVTControlCharacters(text).length

/** For whoever writes to a terminal: loading the library takes a tenth of the time of a short run. */
export async function loadWidths(): Promise<void> {
  ;({ default: widthOf } = await import('string-width'))
}

/** Longer lines are hard to read, however wide the terminal is. */
const widest = 120

const escaped = (code: string) => code.replace('[', String.raw`\[`)
const anyMark = new RegExp(Object.values(marks).map(escaped).join('|'), 'g')
/** A word, or words that are whole, with the spaces that follow; those in front of the first belong to the first. */
const words = new RegExp(` *(?:${escaped(marks.whole)}.*?${escaped(marks.wholeEnds)}|[^ ])+ *`, 'g')

/** What a stream says of itself: nothing where it is no terminal, and some pseudo terminals say 0 for unknown. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The columns in which a stream is written; undefined: it is no terminal. */
export function columnsOf({ isTTY = false, columns = 0 }: Terminal): number | undefined {
  if (!isTTY) return undefined
  return columns > 0 ? columns : 80
}

/**
 * Breaks lines between words where a terminal would break them in the middle of one; what follows stands below the words it
 * belongs to. A word that is wider than the terminal stays whole, as does what is marked so. Wide characters (CJK, emoji) count two columns.
 *
 * @param columns undefined: nothing is broken
 * @returns the text without marks
 */
export function wrapProse(text: string, columns: number | undefined): string {
  const lines = text.split('\n')
  const rows = columns === undefined ? lines : lines.map((line) => wrapLine(line, Math.min(columns, widest)))
  return rows.join('\n').replace(anyMark, '')
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

/** Where what follows begins. */
function hangOf(line: string): number {
  const at = line.indexOf(marks.hang)
  return at >= 0 ? widthOf(line.slice(0, at)) : Math.max(0, stripVTControlCharacters(line).search(/[^ ]/))
}
