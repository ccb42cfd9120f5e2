import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const modelMoved: Rule = {
  code: 'MODEL.MOVED',
  severity: 'warn',
  title: 'The branch or tag now points to another commit.',
  explain:
    'The host has the model from an earlier commit of the branch or tag that the inventory names. It is never replaced in place, because a ' +
    'server may have it open, and `converge fetch` refuses to do so. To keep it, write its commit as `model.source.revision`. To switch the ' +
    'server, give `model.path` another name, fetch, and apply. `converge pin` writes the current commit of the branch, not the one that the host ' +
    'has.',
  consentable: false,
  checkService({ service, fetch }) {
    if (service.state === 'absent' || fetch?.verdict.problem?.code !== 'MODEL.MOVED') return []
    const { why, next } = fetch.verdict.problem
    const { revision } = fetch.about.model.source
    const line = inventoryLine(service, ['model', 'source', 'revision'], `${service.name}: model.source.revision ${revision}`)
    return [{ why, evidence: [line], next }]
  },
}
