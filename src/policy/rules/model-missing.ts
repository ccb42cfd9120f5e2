import { unknown } from '../../model/observed.ts'
import { loadsGguf } from '../../servers/traits.ts'
import { bringsUp } from '../brings-up.ts'
import { fetchHint, unfinishedWords } from '../fetch-words.ts'
import type { Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'

export const modelMissing: Rule = {
  code: 'MODEL.MISSING',
  severity: 'refuse',
  title: 'The model is not on the host.',
  explain:
    'A server without its model exits at once and is restarted forever. If an older server had to make room for it, no server is left. So ' +
    'converge starts and replaces nothing until the model is where the inventory says.',
  consentable: false,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, host, facts } = context
    const model = facts.models[service.model.path] ?? unknown('not-gathered')
    if (!model.known) {
      const words = { host: host.name, decision: `whether ${service.name} can load it` }
      return [factUnknown(`The model ${service.model.path}`, model, words)]
    }
    if (model.value !== null) return []
    const unfinished = unfinishedWords(context.fetch)
    return [
      {
        why: `The ${loadsGguf(service.kind) ? 'file' : 'folder'} ${service.model.path}, the model of ${service.name}, is not on ${host.name}.`,
        evidence: [
          inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${service.model.path}`),
          `${host.name}: nothing at ${service.model.path}`,
          ...(unfinished === undefined ? [] : [`${host.name}: ${unfinished}`]),
        ],
        next: [
          fetchHint(service, context.fetch) ?? `Put the model at ${service.model.path} on ${host.name}.`,
          'Or correct model.path in the inventory.',
        ],
      },
    ]
  },
}
