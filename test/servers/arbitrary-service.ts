import * as fc from 'fast-check'

/** A service as an inventory file has it. */
export type Fields = Readonly<Record<string, unknown>>

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => /^[^\p{C}\u2028\u2029\ufffd{}-]+$/u.test(text))
const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/)
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`)
const count = fc.integer({ min: 1, max: 300_000 })
/** Words that no kind has a field for, each group whole. */
export const unknownWords = fc.oneof(
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
  // `ld-` is the loader of programs.
  executable: path.map((one) => `${one}-server`).filter((one) => !one.endsWith('/ld-server')),
  manager: fc.constant('systemd'),
  key_delivery: fc.constantFrom('file', 'inline'),
  extra_args: extraArgs,
}
const optional = { requiredKeys: ['port', 'model', 'executable', 'manager'] as const }

/** Valid services under systemd. */
export const kindA = fc
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

export const kindB = fc
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
