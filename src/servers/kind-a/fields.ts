import type { KindFields } from '../kind-fields.ts'
import { settings, spelling } from './settings.ts'

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
  settings,
  spelling,
  flagVariables: 'LLAMA_ARG_',
}
