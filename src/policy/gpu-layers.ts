import type { Service } from '../model/fleet.ts'

const spellings: ReadonlySet<string> = new Set(['--n-gpu-layers', '-ngl', '--gpu-layers'])

/**
 * Whether a Kind A server would put layers on the GPU. Only an explicit 0 on the command line keeps it off: the flag's default
 * is `auto`, and the environment twin is neither in the definition's arguments nor does it beat them.
 */
export function gpuLayersOf(service: Service): { readonly offloads: boolean; readonly words: string } {
  const extra = extraValues(service.extraArgs)
  const other = extra.find((value) => value !== '0')
  if (other !== undefined) return { offloads: true, words: `extra_args ask for ${other} layers` }
  if (service.nGpuLayers === 0 || (service.nGpuLayers === undefined && extra.length > 0)) {
    return { offloads: false, words: 'n_gpu_layers is 0' }
  }
  if (service.nGpuLayers !== undefined) return { offloads: true, words: `n_gpu_layers is ${service.nGpuLayers}` }
  const twin = service.extraEnv['LLAMA_ARG_N_GPU_LAYERS']
  if (twin !== undefined) return { offloads: true, words: `only the environment says ${twin} layers; the flag is not given` }
  return { offloads: true, words: 'n_gpu_layers is not given, and the default offloads' }
}

function extraValues(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [flag = '', inline] = arg.split('=', 2)
    if (!spellings.has(flag)) return []
    return [inline ?? args[index + 1] ?? '']
  })
}
