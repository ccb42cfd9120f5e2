import type { Service } from '../../model/fleet.ts'
import type { KeyPath } from '../../model/source.ts'
import type { GpuLayers } from '../gpu-layers.ts'

const spellings: ReadonlySet<string> = new Set(['--n-gpu-layers', '-ngl', '--gpu-layers'])

const variable = 'LLAMA_ARG_N_GPU_LAYERS'
const key: KeyPath = ['n_gpu_layers']

/**
 * Whether a Kind A server would offload layers to the GPU. Only an explicit 0 on the command line prevents it: the flag's default is
 * `auto`, and the environment variable is neither in the definition's arguments nor takes precedence over them.
 */
export function gpuLayersOf(service: Service): GpuLayers {
  const extra = extraValues(service.extraArgs)
  const other = extra.find(({ value }) => value !== '0')
  if (other !== undefined)
    return {
      offloads: true,
      asked: other.value,
      words: `extra_args ask for ${other.value} layers`,
      key: ['extra_args', other.index],
    }
  if (service.nGpuLayers === 0 || (service.nGpuLayers === undefined && extra.length > 0)) {
    return { offloads: false, words: 'n_gpu_layers is 0', key }
  }
  const { nGpuLayers } = service
  if (nGpuLayers !== undefined) return { offloads: true, asked: String(nGpuLayers), words: `n_gpu_layers is ${nGpuLayers}`, key }
  const twin = service.extraEnv[variable]
  if (twin !== undefined)
    return {
      offloads: true,
      asked: twin,
      words: `only the environment sets ${twin} layers; the flag is missing`,
      key: ['env', variable],
    }
  return { offloads: true, words: 'n_gpu_layers is not set, and the default offloads', key }
}

function extraValues(args: readonly string[]): readonly { readonly value: string; readonly index: number }[] {
  return args.flatMap((arg, index) => {
    const [flag = '', inline] = arg.split('=', 2)
    if (!spellings.has(flag)) return []
    return [{ value: inline ?? args[index + 1] ?? '', index }]
  })
}
