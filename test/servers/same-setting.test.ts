import { describe, expect, test } from 'vitest'
import { serverKinds } from '../../src/servers/index.ts'
import { canonicalSetting, ownDefault } from '../../src/servers/same-setting.ts'

describe('the name of a setting', () => {
  test.each([
    ['A', '--ctx-size', ['--ctx-size', '-c', '--ctx_size', 'LLAMA_ARG_CTX_SIZE']],
    ['A', '--n-gpu-layers', ['--n-gpu-layers', '-ngl', '--gpu-layers', '--gpu_layers', 'LLAMA_ARG_N_GPU_LAYERS']],
    ['A', '--model', ['--model', '-m', 'LLAMA_ARG_MODEL']],
    ['A', '--alias', ['--alias', '-a', 'LLAMA_ARG_ALIAS']],
    ['A', '--threads', ['--threads', '-t', 'LLAMA_ARG_THREADS']],
    ['A', '--jinja', ['--jinja', 'LLAMA_ARG_JINJA']],
    ['A', '--no-jinja', ['--no-jinja', '--no_jinja']],
    ['A', '--api-key', ['--api-key', 'LLAMA_API_KEY']],
    ['A', '--api-key-file', ['--api-key-file', 'LLAMA_ARG_API_KEY_FILE']],
    ['B', '--model', ['--model', 'SRV_MODEL', 'COLI_MODEL']],
    ['B', '--model-id', ['--model-id', 'COLI_MODEL_ID']],
    ['B', '--ctx', ['--ctx', 'CTX']],
    ['B', '--ram', ['--ram', 'RAM_GB']],
  ] as const)('kind %s: %s', (kind, canonical, names) => {
    expect(names.map((name) => canonicalSetting(kind, name))).toEqual(names.map(() => canonical))
  })

  test.each(['-np', '--ctx_size_x', '--ctx-size=1', 'LLAMA_ARG_N_PARALLEL', 'CTX', '', 'constructor'])(
    '%s has no other',
    (name) => {
      expect(canonicalSetting('A', name)).toBe(name)
    },
  )

  test.each(['A', 'B'] as const)('no name stands for two settings of kind %s', (kind) => {
    const names = serverKinds[kind].fields.settings.flatMap(({ flags, variable }) => [
      ...flags,
      ...(variable === undefined ? [] : [variable]),
    ])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

test('a default of the program is known only if all builds have it', () => {
  expect(ownDefault('A', '--host')).toBe('127.0.0.1')
  expect(['--port', '--ctx-size', '--jinja', '--alias', '--unknown'].map((flag) => ownDefault('A', flag))).toEqual(
    Array(5).fill(undefined),
  )
})
