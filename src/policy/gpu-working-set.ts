import type { ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { MemoryNeed } from '../model/launch.ts'
import { gpuLayersOf } from '../servers/traits.ts'
import type { ActionContext, Finding } from './rule.ts'
import { gib, inventoryLine } from './words.ts'

/** The share of RAM that macOS allows the GPU by default: 107.5 of 128 GiB were measured. It is less on small machines; there the headroom is the tighter limit. */
const defaultShare = 0.84

/**
 * Weights on the GPU of a Mac must fit into its working set. Beyond that they are still allocated, but generation slows to a crawl. Only the
 * weights count, and only if the inventory sets the number of layers: without a number, newer servers choose one that fits.
 */
export function judgeGpu({ service, facts, host, model }: ActionContext, need: MemoryNeed): readonly Finding[] {
  const isMac = facts.platform.known && facts.platform.value.os === 'macos'
  if (!isMac || service.nGpuLayers === undefined || gpuLayersOf(service)?.offloads !== true) return []
  if (!facts.memory.known) return []
  const { totalBytes, gpuLimitBytes } = facts.memory.value
  const limit = gpuLimitBytes ?? totalBytes * defaultShare
  const share = offloadedShare(service.nGpuLayers, model.known ? model.value : null)
  const offloaded = need.softBytes * share
  if (offloaded <= limit) return []
  const origin = gpuLimitBytes === undefined ? 'the default of macOS' : 'iogpu.wired_limit_mb'
  return [
    {
      why: `${service.name} would put ${gib(offloaded)} of weights on the GPU of ${host.name}, but its limit is ${gib(limit)}. Generation and the rest of the machine would slow to a crawl.`,
      evidence: [
        `weights on the GPU: ${gib(offloaded)} of ${gib(need.softBytes)}`,
        `limit of the GPU: ${gib(limit)} (${origin})`,
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
  return `Lower n_gpu_layers of ${name}, or raise iogpu.wired_limit_mb on the Mac (sudo sysctl; a reboot resets it).`
}
