import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { serverKinds } from '../../src/servers/index.ts'
import { type Fields, kindA, kindB, unknownWords } from './arbitrary-service.ts'
import { inventoryWith, serviceWith } from './inventory-with.ts'
import { startedBy } from './started-by.ts'

describe('a server that was launched', () => {
  test.each([
    ['A', kindA],
    ['B', kindB],
  ] as const)('is read back as its service, kind %s', (kind, drawn) => {
    fc.assert(
      fc.property(drawn, fc.boolean(), (fields, hasKey) => {
        const service = serviceWith(fields)
        const started = startedBy(serverKinds[kind].launch(service, seen(service), keyOf(hasKey)))
        const { fields: back, key, problems, unstated } = serverKinds[kind].readBack(started)
        expect({ problems, unstated }).toEqual({ problems: [], unstated: [] })
        expect(key === undefined).toBe(!hasKey)
        const again = serviceWith({ ...chosen(fields), ...back })
        expect({ ...again, source: undefined }).toEqual({ ...service, source: undefined })
        expect(startedBy(serverKinds[kind].launch(again, seen(again), keyOf(hasKey)))).toEqual(started)
      }),
      { numRuns: 300 },
    )
  })
})

/** What no command line shows. */
function chosen({ kind, manager, key_delivery: delivery }: Fields): Fields {
  return { kind, manager, ...(delivery === undefined ? {} : { key_delivery: delivery }) }
}

function seen({ model: { path: model } }: { readonly model: { readonly path: string } }) {
  return { model, keyFile: '/etc/converge/keys/one' }
}

function keyOf(hasKey: boolean): Secret | undefined {
  return hasKey ? new Secret('the-key', 'env KEY') : undefined
}

const flagsOf = (kind: 'A' | 'B') => serverKinds[kind].fields.settings.flatMap(({ flags }) => flags)
const oddValues = [
  '0',
  '-1',
  '1',
  '8081',
  'auto',
  'all',
  '',
  '/m/x.gguf',
  'm.gguf',
  'a,b',
  'x\ny',
  '{"a": 1}',
  '--port',
  '70000',
  '1e3',
  '***',
  '-c 9',
]
const oddWords = (kind: 'A' | 'B') =>
  fc.constantFrom(...flagsOf(kind), ...oddValues, '-hf', '--hf-token', '--password=x', '--a_b', '-f', '--mod')
const variables: Readonly<Record<'A' | 'B', readonly string[]>> = {
  A: [
    'LLAMA_ARG_PORT',
    'LLAMA_ARG_MODEL',
    'LLAMA_ARG_JINJA',
    'LLAMA_ARG_N_GPU_LAYERS',
    'LLAMA_ARG_X',
    'LLAMA_API_KEY',
    'HF_TOKEN',
    'X Y',
  ],
  B: ['SRV_MODEL', 'COLI_MODEL', 'SRV_API_KEY', 'SRV_MODEL_ID', 'SRV_KV_SLOTS', 'CTX', 'RAM_GB', 'PATH'],
}

describe('any command line', () => {
  const start = { A: ['/usr/bin/llama-server'], B: ['/usr/bin/python3', '/opt/coli', 'serve'] } as const

  test.each(['A', 'B'] as const)('has fields that the inventory accepts, kind %s', (kind) => {
    const env = fc.dictionary(fc.constantFrom(...variables[kind]), fc.constantFrom(...oddValues))
    fc.assert(
      fc.property(fc.array(oddWords(kind), { maxLength: 12 }), env, fc.boolean(), (words, given, ownEnv) => {
        const { fields } = serverKinds[kind].readBack({ argv: [...start[kind], ...words], env: given, ownEnv })
        const needed = { kind, manager: 'systemd', port: 9990, model: { path: '/m/x' }, executable: '/opt/x' }
        expect(inventoryWith({ ...needed, ...fields }).issues).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('no word is lost, and no other is taken for the value of a flag', () => {
    const known = fc.tuple(fc.constantFrom('-c', '--port', '--threads', '-a', '--model'), fc.constantFrom('1', '2'))
    const chunk = fc.oneof(
      unknownWords.map((words) => ({ words, isKnown: false })),
      known.map((words) => ({ words: [...words], isKnown: true })),
      known.map(([flag, value]) => ({ words: [`${flag}=${value}`], isKnown: true })),
    )
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 10 }), (chunks) => {
        const argv = ['/usr/bin/llama-server', '--log-disable', ...chunks.flatMap(({ words }) => words)]
        const { fields } = serverKinds.A.readBack({ argv, env: {} })
        expect(fields['extra_args']).toEqual(['--log-disable', ...chunks.flatMap(({ words, isKnown }) => (isKnown ? [] : words))])
      }),
    )
  })
})
