/** A command line that is not finished, as a shell splits it. */
export interface TypedWords {
  /** The words that are finished, without their quotes. */
  readonly words: readonly string[]
  /** The last word, without its quotes. */
  readonly current: string
  /** The last word as it was typed. */
  readonly raw: string
  /** The quote that is open at the end. */
  readonly quote: '' | "'" | '"'
}

/** Splits at blanks outside of quotes. Nothing is expanded. */
export function splitTyped(line: string): TypedWords {
  const words: string[] = []
  let [current, start, inWord] = ['', line.length, false]
  let quote: TypedWords['quote'] = ''
  const begin = (at: number) => {
    if (!inWord) [start, inWord] = [at, true]
  }
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at)
    if (quote === '' && /[ \t\n]/.test(sign)) {
      if (inWord) words.push(current)
      current = ''
      inWord = false
      continue
    }
    begin(at)
    if (sign === quote) quote = ''
    else if (quote === '' && (sign === "'" || sign === '"')) quote = sign
    else if (sign === '\\' && isEscape(quote, line.charAt(at + 1))) current += line.charAt(++at)
    else current += sign
  }
  return inWord ? { words, current, raw: line.slice(start), quote } : { words, current: '', raw: '', quote: '' }
}

/** Between `"`, a backslash before another character stays. */
function isEscape(quote: TypedWords['quote'], next: string): boolean {
  return quote === '' || (quote === '"' && /["\\$`]/.test(next))
}
