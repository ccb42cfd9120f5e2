import { quote } from 'shell-quote'

/** A comma is special beside braces alone, `@` and `:` nowhere, and `=` in the word that a command begins with. */
const plain = /^[\w./,@:=-]+$/

/** Words as one line of POSIX shell that means exactly these words. A NUL cannot be in any argument and is refused. */
export function shellQuote(words: readonly string[]): string {
  if (words.some((word) => word.includes('\0'))) throw new TypeError('an argument holds a NUL character')
  return words.map(quoteWord).join(' ')
}

/** Easier on the eye than a backslash before every `,` and `&`. */
function quoteWord(word: string, index: number): string {
  if (plain.test(word) && (index > 0 || !word.includes('='))) return word
  return word.includes("'") ? quote([word]) : `'${word}'`
}
