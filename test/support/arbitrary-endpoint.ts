import * as fc from 'fast-check'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { Secret } from '../../src/model/secret.ts'

/** What an alias in the inventory may be: one line without commas and control characters. */
const alias = /^[^,\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029\ufeff\ufffd]+$/u

/** What YAML, a shell or a template would take for something else. */
const oddities = [
  'yes',
  'NO',
  '~',
  'null',
  '1e3',
  '0x1F',
  '010',
  '1:30',
  '.inf',
  '2026-11-01',
  'a: b',
  '#',
  'x #y',
  '- a',
  '{a}',
  '[a]',
  '&a',
  '*a',

  '!!int 1',
  '%TAG',
  '@a',
  '`id`',
  '$(id)',
  '$HOME',
  '${HOME}',
  '${env.HOME}',
  '${{ secrets.X }}',
  '{{x}}',
  'os.environ/HOME',
  'openai/x',

  "it's",
  '"',
  '\\',
  "\\'",
  '\\n',
  '"\\',
  'a;b',
  ' a',
  'a ',
  ' ',
  '==',
  '<<',
  '|',
  '>-',
  'schön',
  '模型',
  '\u202egpj',
  'a\u200bb',
  '😀',
]
const odd = fc.constantFrom(...oddities)
const word = fc.oneof(
  odd,
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.tuple(odd, odd).map((two) => two.join('')),
)

export const model = word.filter((text) => alias.test(text))
/** Without what `KEY.INVALID` refuses at once. */
export const key = word.filter((text) => !/[\p{Cc}\u2028\u2029\ufeff]/u.test(text) && text.trim() !== '')

/** An endpoint, and its key; null: it has none. */
export interface EndpointLot {
  readonly model: string
  readonly key: string | null
  /** Whether the list contains the key itself. */
  readonly isOpen: boolean
}

export const endpointLot: fc.Arbitrary<EndpointLot> = fc.record({
  model,
  key: fc.option(key),
  isOpen: fc.boolean(),
})

export function endpointAt(index: number, lot: EndpointLot): Endpoint {
  const variable = `KEY_${index}`
  const value = lot.key !== null && lot.isOpen ? { value: new Secret(lot.key, 'a test') } : {}
  return {
    host: `h${index}`,
    service: 'coder',
    model: lot.model,
    baseUrl: `http://h${index}.lan:9990/v1`,
    prefix: `CODER_H${index}`,
    ...(lot.key === null ? {} : { key: { reference: { env: variable }, variable, ...value } }),
  }
}
