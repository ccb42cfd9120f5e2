import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { MemoryNeed } from '../model/launch.ts'
import { gpuLayersOf } from '../servers/traits.ts'
import type { ActionContext, Finding } from './rule.ts'
import { gib, inventoryLine } from './words.ts'

/**
 * What macOS leaves to the GPU of its own accord: 107.5 of 128 GiB were measured, less on small machines, where the headroom is the
 * tighter bound.
 */
const shareOfItsOwn = 0.84

/**
 * Weights that are put on the GPU of a Mac have to fit into its working set: past that they are allocated all the same, and then every
 * token crawls. Judged by the weights alone, and only where the inventory says how many layers go there: without a number, newer
 * servers choose one that fits.
 */
export function judgeGpu({ service, facts, host, model }: ActionContext, need: MemoryNeed): readonly Finding[] {
  const isMac = facts.platform.known && facts.platform.value.os === 'macos'
  if (!isMac || service.nGpuLayers === undefined || gpuLayersOf(service)?.offloads !== true) return []
  if (!facts.memory.known) return []
  const { totalBytes, gpuLimitBytes } = facts.memory.value
  const limit = gpuLimitBytes ?? totalBytes * shareOfItsOwn
  const share = offloadedShare(service.nGpuLayers, model.known ? model.value : null)
  const offloaded = need.softBytes * share
  if (offloaded <= limit) return []
  const whence = gpuLimitBytes === undefined ? 'as macOS chooses it' : 'iogpu.wired_limit_mb'
  return [
    {
      why: `${service.name} would put ${gib(offloaded)} of weights on the GPU of ${host.name}, which may hold ${gib(limit)}. Every token would crawl, and the rest of the machine with it.`,
      evidence: [
        `weights on the GPU: ${gib(offloaded)} of ${gib(need.softBytes)}`,
        `the GPU may hold: ${gib(limit)} (${whence})`,
        inventoryLine(service, ['n_gpu_layers'], `${service.name}: n_gpu_layers is ${service.nGpuLayers}`),
      ],
      next: [nextFor(service), `Give ${service.name} a smaller model.`],
    },
  ]
}

/** The output layer counts as one more. */
function offloadedShare(layers: number, model: ModelFiles | null): number {
  const blocks = model?.header.known === true ? model.header.value.blockCount : undefined
  return blocks === undefined ? 1 : Math.min(1, layers / (blocks + 1))
}

function nextFor({ name }: Service): string {
  return `Lower n_gpu_layers of ${name}, or raise iogpu.wired_limit_mb on the Mac (sudo sysctl; gone after a restart of it).`
}
