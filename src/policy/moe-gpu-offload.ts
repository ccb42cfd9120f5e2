import type { HostFacts, ModelFiles } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { gpuLayersOf } from './gpu-layers.ts'
import { isLaterPart } from './model-part.ts'
import type { Finding, Rule } from './rule.ts'
import { factUnknown, gib, inventoryLine } from './words.ts'

/** Above this share of the RAM a mixture-of-experts model is a giant one: its GPU buffers cannot fit beside it. */
const giantShare = 0.6

export const moeGpuOffload: Rule = {
  code: 'MOE.GPU_OFFLOAD',
  severity: 'refuse',
  title: 'A giant mixture-of-experts model would be offloaded to the GPU on macOS.',
  explain:
    'On macOS the GPU shares the memory of the machine. Buffers for a giant mixture-of-experts model cannot be had: it runs out of ' +
    'memory for certain and takes other generations down with it. `n_gpu_layers: 0` has to stand in its definition; left out, newer ' +
    'servers choose the number themselves and offload. A model counts as giant when `model.giant_moe` says so, when its header lists ' +
    'experts and it is larger than 60 % of the RAM, or when it is larger than the RAM altogether.',
  consentable: false,
  checkInventory({ host, service }) {
    const onMac = host.platform === 'macos' || service.manager === 'launchd'
    if (!onMac || service.kind !== 'A' || service.model.giantMoe !== true) return []
    return offloadFinding(service, `the inventory says that it is a giant mixture-of-experts model`)
  },
  checkService({ service, facts, host }) {
    const onMac = facts.platform.known ? facts.platform.value.os === 'macos' : service.manager === 'launchd'
    if (!onMac || service.kind !== 'A' || service.state === 'absent') return []
    if (service.model.giantMoe === true) {
      return offloadFinding(service, 'the inventory says that it is a giant mixture-of-experts model')
    }
    const model = facts.models[service.model.path]
    // A model that is not there, or cannot be looked at, is refused when it would be started.
    if (model?.known !== true || model.value === null) return []
    return judgeBySize(service, host.name, model.value, facts)
  },
}

function judgeBySize(service: Service, host: string, model: ModelFiles, facts: HostFacts): readonly Finding[] {
  if (!gpuLayersOf(service).offloads) return []
  if (!facts.memory.known) {
    const words = { host, decision: `whether ${service.name} is too large a model for its GPU` }
    return [factUnknown('The memory', facts.memory, words)]
  }
  const size = model.files.reduce((sum, file) => sum + file.bytes, 0)
  const ram = facts.memory.value.totalBytes
  const sizes = `${gib(size)} of model on a machine of ${gib(ram)}`
  if (size > ram) return offloadFinding(service, `it is larger than the RAM: ${sizes}`)
  if (size <= ram * giantShare || service.model.giantMoe === false) return []
  if (isLaterPart(service)) return []
  if (!model.header.known) {
    const words = {
      host,
      decision: `whether ${service.name} is a mixture-of-experts model`,
      next: ['Set model.giant_moe in the inventory.'],
    }
    return [factUnknown(`The header of ${model.path}`, model.header, words)]
  }
  const experts = model.header.value.expertCount ?? 0
  return experts > 0 ? offloadFinding(service, `its header lists ${experts} experts, and it is giant: ${sizes}`) : []
}

function offloadFinding(service: Service, because: string): readonly Finding[] {
  const layers = gpuLayersOf(service)
  if (!layers.offloads) return []
  return [
    {
      comparable: true,
      why: `${service.name} on ${service.host} would offload layers to the GPU (${layers.words}), and ${because}. It would run out of memory for certain.`,
      evidence: [inventoryLine(service, `${service.name}: ${layers.words}`), because],
      next: [`Set n_gpu_layers: 0 for ${service.name} and take other spellings of it out of extra_args.`],
    },
  ]
}
