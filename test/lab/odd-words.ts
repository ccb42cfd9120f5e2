import * as fc from 'fast-check'

/** Texts that some parser on the way could take for something else, and then some. */
const odd = [
  'a $b ${c} $$ %h %%',
  '"d" \\e \\\\ \\n',
  "it's",
  '#x',
  ' lead',
  'trail ',
  '~',
  'null',
  '0x1f',
  '9990:9990',
  ';',
  '-',
  'ünï €',
  '`id`',
  '$(id)',
  '*',
  '{{.Id}}',
  '@x',
  '',
]
export const oddWords = [
  ...odd,
  ...fc.sample(
    fc.string({ unit: 'grapheme', maxLength: 16 }).filter((text) => !/[\p{Cc}\u2028\u2029\ufeff]/u.test(text)),
    { numRuns: 60, seed: 7 },
  ),
]
