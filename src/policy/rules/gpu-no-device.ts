import { inContainer } from '../../managers/traits.ts'
import { gpuLayersOf } from '../../servers/traits.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const gpuNoDevice: Rule = {
  code: 'GPU.NO_DEVICE',
  severity: 'warn',
  title: 'GPU layers are set, but the container has no GPU.',
  explain:
    'A container sees a GPU only if its definition passes one through, and the compose files that converge writes pass none. The server then ' +
    'says so in its log and runs every layer on the CPU, many times slower. The only exception is an engine that gives GPUs to every container ' +
    '(`default-runtime` in its daemon.json). Set `n_gpu_layers: 0` if you want the CPU, or run the server under systemd.',
  consentable: false,
  checkInventory({ service }) {
    const { name, host } = service
    if (!inContainer(service)) return []
    const layers = gpuLayersOf(service)
    if (layers?.offloads !== true || layers.asked === undefined || Number(layers.asked) === 0) return []
    return [
      {
        why: `${name} on ${host} requests GPU layers (${layers.words}), but its container has no GPU. All layers would run on the CPU.`,
        evidence: [inventoryLine(service, layers.key, `${name}: ${layers.words}`)],
        next: [`Set n_gpu_layers: 0 for ${name}, or manager: systemd and its executable.`],
      },
    ]
  },
}
