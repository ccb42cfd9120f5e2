import type { KindFields } from '../kind-fields.ts'

export const fields: KindFields = {
  own: ['ctx_size', 'n_gpu_layers', 'threads', 'jinja'],
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
