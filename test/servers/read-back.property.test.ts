import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { serverKinds } from '../../src/servers/index.ts'
import { inventoryWith, serviceWith } from './inventory-with.ts'
import { startedBy } from './started-by.ts'

type Fields = Readonly<Record<string, unknown>>

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => /^[^\p{C}\u2028\u2029\ufffd{}-]+$/u.test(text))
const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/)
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`)
const count = fc.integer({ min: 1, max: 300_000 })
/** Words that no kind has a field for, each group whole. */
const unknownWords = fc.oneof(
  fc.constantFrom(
    ['--mlock'],
    ['-fa'],
    ['-fa', 'on'],
    ['--temp', '-0.5'],
    ['-ts', '3,1'],
    ['--lora=/a=b'],
    ['--reuse-port'],
    ['-np', '-1'],
  ),
  word.map((value) => ['--tags', value]),
  fc.constantFrom(
    ['--chat-template-kwargs', '{"enable_thinking": false}'],
    ['-ot', 'blk\\.[0-9]+\\.ffn_.*_exps=CPU'],
    ['--empty', ''],
  ),
)
const extraArgs = fc.array(unknownWords, { maxLength: 4 }).map((groups) => groups.flat())

const shared = {
  port: fc.integer({ min: 1, max: 65_535 }),
  alias: word.filter((text) => !text.includes(',')),
  host: fc.constantFrom('0.0.0.0', '127.0.0.1', '::', '10.0.0.7'),
  model: path.map((one) => ({ path: one })),
  executable: path.map((one) => `${one}-server`),
  manager: fc.constant('systemd'),
  key_delivery: fc.constantFrom('file', 'inline'),
  extra_args: extraArgs,
}
const optional = { requiredKeys: ['port', 'model', 'executable', 'manager'] as const }

const kindA = fc
  .record(
    {
      ...shared,
      ctx_size: count,
      n_gpu_layers: fc.nat(999),
      threads: count,
      jinja: fc.boolean(),
      env: fc.dictionary(
        fc.constantFrom('LLAMA_ARG_FLASH_ATTN', 'LLAMA_ARG_N_PARALLEL', 'GGML_METAL_NDEBUG', 'LD_PRELOAD'),
        word,
      ),
    },
    { requiredKeys: [...optional.requiredKeys] },
  )
  .map((fields): Fields => ({ kind: 'A', ...fields }))

const kindB = fc
  .record(
    {
      ...shared,
      ctx: count,
      ram_gb: fc.oneof(
        count,
        fc.integer({ min: 1, max: 4000 }).map((quarters) => quarters / 4),
      ),
      interpreter: path,
      env_prefix: fc.constantFrom('SRV', 'COLI', 'MY_BIG_1'),
      no_browser: fc.boolean(),
      allowed_hosts: fc.uniqueArray(name, { maxLength: 3 }),
      env: fc.dictionary(fc.constantFrom('PIPE', 'NGEN', 'OMP_NUM_THREADS'), word),
    },
    { requiredKeys: [...optional.requiredKeys] },
  )
  .map((fields): Fields => ({ kind: 'B', ...fields }))

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
