import { isOfMacs } from '../../managers/traits.ts'
import type { HostFacts, ModelFiles } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed, unknown } from '../../model/observed.ts'
import { gpuLayersOf } from '../../servers/traits.ts'
import { isLaterPart } from '../model-part.ts'
import type { Evidence, Finding, Rule } from '../rule.ts'
import { factUnknown, gib, inventoryLine } from '../words.ts'

/** Above this share of the RAM, a mixture-of-experts model is giant: its GPU buffers do not fit beside it. */
const giantShare = 0.6

export const moeGpuOffload: Rule = {
  code: 'MOE.GPU_OFFLOAD',
  severity: 'refuse',
  title: 'A giant mixture-of-experts model would be offloaded to the GPU on macOS.',
  explain:
    'On macOS, the GPU shares the memory of the machine. Buffers for a giant mixture-of-experts model do not fit: the server is certain to run ' +
    'out of memory, and takes other generations down with it. Set `n_gpu_layers: 0`; without it, newer servers choose the number themselves and ' +
    'offload. A model counts as giant if `model.giant_moe` says so, or if it is larger than the RAM. It also does if its header lists experts ' +
    'and it is larger than 60 % of the RAM. If converge read only part of the header and found no experts in it, only `model.giant_moe` decides.',
  consentable: false,
  checkInventory({ host, service }) {
    const onMac = host.platform === 'macos' || isOfMacs(service.manager)
    if (!onMac || service.model.giantMoe !== true) return []
    return offloadFinding(service, 'the inventory says that the model is a giant mixture of experts')
  },
  checkService({ service, facts, host, model }) {
    const onMac = facts.platform.known ? facts.platform.value.os === 'macos' : isOfMacs(service.manager)
    if (!onMac || service.state === 'absent') return []
    if (service.model.giantMoe === true) {
      return offloadFinding(service, 'the inventory says that the model is a giant mixture of experts')
    }
    // A missing or unreadable model is refused when the server would start.
    if (!model.known || model.value === null) return []
    return judgeBySize(service, host.name, model.value, facts)
  },
}

function judgeBySize(service: Service, host: string, model: ModelFiles, facts: HostFacts): readonly Finding[] {
  if (gpuLayersOf(service)?.offloads !== true) return []
  if (!facts.memory.known) {
    const words = { host, decision: `whether the model of ${service.name} is too large for the GPU` }
    return [factUnknown('The memory', facts.memory, words)]
  }
  const size = model.files.reduce((sum, file) => sum + file.bytes, 0)
  const ram = facts.memory.value.totalBytes
  if (size > ram) return offloadFinding(service, `the model (${gib(size)}) is larger than the RAM (${gib(ram)})`)
  if (size <= ram * giantShare || service.model.giantMoe === false) return []
  if (isLaterPart(service)) return []
  const experts = expertsIn(model)
  if (!experts.known) {
    const words = {
      host,
      decision: `whether ${service.name} is a mixture-of-experts model`,
      next: ['Set model.giant_moe in the inventory.'],
    }
    return [factUnknown(`The number of experts of ${model.path}`, experts, words)]
  }
  if (experts.value === 0) return []
  const sizes = `the model (${gib(size)}) is larger than ${giantShare * 100} % of the RAM (${gib(ram)})`
  return offloadFinding(service, `its header lists ${experts.value} experts, and ${sizes}`)
}

/** If only part of the header was read, the rest may list experts. */
function expertsIn({ header }: ModelFiles): Observed<number> {
  if (!header.known) return header
  const { expertCount, cut } = header.value
  if (expertCount === undefined && cut === true) return unknown('unreadable', 'the part of its header that was read lists none')
  return known(expertCount ?? 0)
}

function giantLine(service: Service, because: string): Evidence {
  return service.model.giantMoe === true ? inventoryLine(service, ['model', 'giant_moe'], because) : because
}

function offloadFinding(service: Service, because: string): readonly Finding[] {
  const layers = gpuLayersOf(service)
  if (layers?.offloads !== true) return []
  return [
    {
      comparable: true,
      why: `${service.name} on ${service.host} would offload layers to the GPU (${layers.words}) and run out of memory: ${because}.`,
      evidence: [inventoryLine(service, layers.key, `${service.name}: ${layers.words}`), giantLine(service, because)],
      next: [`Set n_gpu_layers: 0 for ${service.name} and remove other spellings of it from extra_args.`],
    },
  ]
}
