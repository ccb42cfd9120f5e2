import { quote } from 'shell-quote'

/** A comma is special only next to braces, `@` and `:` never, and `=` only in the first word of a command. */
const plain = /^[\w./,@:=-]+$/

/** Quotes words as one line of POSIX shell. Throws for a NUL, which no argument can contain. */
export function shellQuote(words: readonly string[]): string {
  if (words.some((word) => word.includes('\0'))) throw new TypeError('an argument contains a NUL character')
  return words.map(quoteWord).join(' ')
}

/** Easier to read than a backslash before every `,` and `&`. */
function quoteWord(word: string, index: number): string {
  if (plain.test(word) && (index > 0 || !word.includes('='))) return word
  return word.includes("'") ? quote([word]) : `'${word}'`
}
