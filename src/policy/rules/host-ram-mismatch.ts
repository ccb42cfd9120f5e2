import { ramTolerance } from '../host-ram.ts'
import type { Rule } from '../rule.ts'
import { gib, gibibyte, inventoryLine } from '../words.ts'

export const hostRamMismatch: Rule = {
  code: 'HOST.RAM_MISMATCH',
  severity: 'warn',
  title: 'The RAM of the machine differs from the inventory.',
  explain:
    'The RAM found differs from `ram_gb` by more than a tenth. The rules use the RAM found. Perhaps a memory module failed, a virtual machine ' +
    'was resized, or the address leads to another machine.',
  consentable: false,
  checkHost({ host, facts }) {
    if (host.ramGb === undefined || !facts.memory.known) return []
    const found = facts.memory.value.totalBytes
    if (Math.abs(found - host.ramGb * gibibyte) <= host.ramGb * gibibyte * ramTolerance) return []
    return [
      {
        why: `The inventory states ${host.ramGb} GB of RAM for ${host.name}, but it has ${gib(found)}.`,
        evidence: [inventoryLine(host, ['ram_gb'], `${host.name}: ram_gb ${host.ramGb}`), `found: ${gib(found)}`],
        next: [`Correct ram_gb of ${host.name}, or find out why the machine differs.`],
      },
    ]
  },
}
