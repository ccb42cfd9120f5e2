import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const modelWildcard: Rule = {
  code: 'MODEL.WILDCARD',
  severity: 'refuse',
  title: 'The model path contains a wildcard.',
  explain:
    'A background service needs the exact path of its model. Expanding a wildcard lists a folder, which macOS forbids a background service on ' +
    'external disks. Tomorrow it may match another file. Name the file itself; for a model in several parts, name the first one ' +
    '(`…-00001-of-0000N.gguf`).',
  consentable: false,
  checkInventory({ service }) {
    const found = /[*?[\]{}]/.exec(service.model.path)
    if (found === null) return []
    return [
      {
        why: `The model path of ${service.name} on ${service.host} is ${service.model.path}. \`${found[0]}\` may match more than one path.`,
        evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${service.model.path}`)],
        next: ['Write the full path of one file (Kind A) or folder (Kind B).'],
      },
    ]
  },
}
