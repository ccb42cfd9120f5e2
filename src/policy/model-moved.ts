import type { Rule } from './rule.ts'
import { inventoryLine } from './words.ts'

export const modelMoved: Rule = {
  code: 'MODEL.MOVED',
  severity: 'warn',
  title: 'The branch or tag points to another commit now.',
  explain:
    'The host has the model as it was at an earlier commit of the branch or tag that the inventory names. It is never replaced in place, because a ' +
    'server may have it open, and `converge fetch` refuses to. Pin the commit that is there (`converge pin` writes commits), or give `model.path` another name, fetch, and apply.',
  consentable: false,
  checkService({ service, fetch }) {
    if (service.state === 'absent' || fetch?.verdict.problem?.code !== 'MODEL.MOVED') return []
    const { why, next } = fetch.verdict.problem
    const { revision } = fetch.about.model.source
    const line = inventoryLine(service, ['model', 'source', 'revision'], `${service.name}: model.source.revision ${revision}`)
    return [{ why, evidence: [line], next }]
  },
}
