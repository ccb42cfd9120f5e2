import type { KindFields } from '../kind-fields.ts'

export const fields: KindFields = {
  own: {
    ctx_size: {
      title: 'Context size',
      description: 'the number of tokens (`--ctx-size`). Default: 65536 on macOS, 262144 on Linux.',
      examples: [65_536],
      type: 'integer',
      minimum: 1,
    },
    n_gpu_layers: {
      title: 'GPU layers',
      description:
        'the number of layers on the GPU. 0 keeps all on the CPU, which a giant mixture-of-experts model needs on macOS. Without it the server decides.',
      examples: [99, 0],
      type: 'integer',
      minimum: 0,
    },
    threads: {
      title: 'Threads',
      description: 'the number of CPU threads. Without it the server decides.',
      examples: [8],
      type: 'integer',
      minimum: 1,
    },
    jinja: { title: 'Template processing', description: 'pass `--jinja`.', default: true, type: 'boolean' },
  },
  flags: {
    '--host': 'host',
    '--port': 'port',
    '--model': 'model',
    '-m': 'model',
    '--alias': 'alias',
    '-a': 'alias',
    '--ctx-size': 'ctx_size',
    '-c': 'ctx_size',
    '--threads': 'threads',
    '-t': 'threads',
    '--api-key-file': 'api_key',
  },
  harmlessFlags: { '--n-gpu-layers': 'n_gpu_layers', '--jinja': 'jinja', '--api-key': 'api_key' },
  variables: () => ({
    LLAMA_ARG_HOST: 'host',
    LLAMA_ARG_PORT: 'port',
    LLAMA_ARG_MODEL: 'model',
    LLAMA_ARG_ALIAS: 'alias',
    LLAMA_ARG_CTX_SIZE: 'ctx_size',
    LLAMA_ARG_THREADS: 'threads',
    LLAMA_ARG_API_KEY_FILE: 'api_key',
  }),
  flagVariables: 'LLAMA_ARG_',
}
