import { quote } from 'shell-quote'
import { InternalError } from '../errors/converge-error.ts'

/** A comma is special beside braces alone. */
const plain = /^[\w./,:@-]+$/

/** Words as one line of POSIX shell that means exactly these words. A NUL cannot be in any argument and is refused. */
export function shellQuote(words: readonly string[]): string {
  if (words.some((word) => word.includes('\0'))) throw new InternalError('an argument holds a NUL character')
  return words.map((word) => (plain.test(word) ? word : quote([word]))).join(' ')
}
