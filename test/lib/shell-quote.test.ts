import { expect, it } from 'vitest'
import { shellQuote } from '../../src/lib/shell-quote.ts'

it.each([
  [['--limit', 'mini,studio,box'], '--limit mini,studio,box'],
  [['a,b c'], `'a,b c'`],
  [['{a,b}'], "'{a,b}'"],
  [["it's"], `"it's"`],
  [['X.Y@coder@nas', '10:20', '--a=b', 'a=b'], 'X.Y@coder@nas 10:20 --a=b a=b'],
  [['a=b', 'c'], "'a=b' c"],
  [['plans/a-1.json', ''], `plans/a-1.json ''`],
])('%j is quoted where the shell would read it otherwise', (words, line) => expect(shellQuote(words)).toBe(line))
