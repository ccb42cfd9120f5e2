import { hasBudget } from '../../servers/traits.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const budgetMissing: Rule = {
  code: 'BUDGET.MISSING',
  severity: 'refuse',
  title: 'A Kind B service has no RAM budget.',
  explain:
    'Without a budget, a Kind B server takes most of the memory that is free when it starts. A second one takes most of the rest. Give every ' +
    'Kind B service a `ram_gb` greater than zero.',
  consentable: false,
  checkInventory({ service }) {
    if (!hasBudget(service.kind) || (service.ramGb !== undefined && service.ramGb > 0)) return []
    return [
      {
        why: `${service.name} on ${service.host} has no budget, so it would take most of the free memory.`,
        evidence: [inventoryLine(service, ['ram_gb'], `${service.name}: ram_gb ${service.ramGb ?? 'is not set'}`)],
        next: [`Set ram_gb for ${service.name}.`],
      },
    ]
  },
}
