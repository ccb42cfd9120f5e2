import { expect, test } from 'vitest'
import { asDefined } from '../../src/adopt/as-defined.ts'
import type { FieldChange } from '../../src/model/action.ts'

const argv = ['llama-server', '-m', '/m.gguf', '-c', '4096', '--temp=0.7', '--jinja', '--lora', 'a', '--lora', 'b']
const env = { LLAMA_ARG_THREADS: '2' }

test.each([
  {
    about: 'a flag in another spelling has the value of the definition',
    stale: [['command.--ctx-size', '8192', '4096']],
    expected: {
      argv: ['llama-server', '-m', '/m.gguf', '--temp=0.7', '--jinja', '--lora', 'a', '--lora', 'b', '--ctx-size', '8192'],
    },
  },
  {
    about: 'flags that the definition has no longer are gone, with their values',
    stale: [
      ['command.--temp', null, '0.7'],
      ['command.--lora', null, 'a b'],
    ],
    expected: { argv: ['llama-server', '-m', '/m.gguf', '-c', '4096', '--jinja'] },
  },
  {
    about: 'a switch has no value',
    stale: [['command.--mlock', '', null]],
    expected: { argv: [...argv, '--mlock'] },
  },
  {
    about: 'variables count as well',
    stale: [
      ['environment.LLAMA_ARG_THREADS', null, '2'],
      ['environment.GGML_CUDA_NO_PINNED', '1', null],
    ],
    expected: { env: { GGML_CUDA_NO_PINNED: '1' } },
  },
  {
    about: 'what may be several values, a secret, another program, or no setting of the server stays',
    stale: [
      ['command.--lora', 'a c', 'a b'],
      ['command.--api-key', '***', null],
      ['command.0', '/bin/sh', 'llama-server'],
      ['User', 'root', 'op'],
    ],
    expected: {},
  },
] as const)('$about', ({ stale, expected }) => {
  const changes = stale.map(
    ([name, from, to]): FieldChange => ({ field: `definition.${name}`, from, to, effect: 'cheap-restart' }),
  )
  expect(asDefined({ argv, env }, changes, 'A')).toEqual({ argv, env, ...expected })
})
