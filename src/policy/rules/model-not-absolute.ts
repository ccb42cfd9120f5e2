import { inContainer } from '../../managers/traits.ts'
import type { Service } from '../../model/fleet.ts'
import { loadsGguf } from '../../servers/traits.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const modelNotAbsolute: Rule = {
  code: 'MODEL.NOT_ABSOLUTE',
  severity: 'refuse',
  title: 'The model path is not exact and absolute.',
  explain:
    'Managers start servers in a folder of their own choice and expand neither `~` nor variables. Only a path that begins with `/` and has no ' +
    '`.` or `..` parts means the same everywhere.',
  consentable: false,
  checkInventory({ service }) {
    const { path } = service.model
    const fault = faultOf(path) ?? mountFault(service)
    if (fault === undefined) return []
    return [
      {
        why: `The model path of ${service.name} on ${service.host} is ${path === '' ? 'empty' : path}: ${fault}.`,
        evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${path}`)],
        next: ['Write the full path from `/`, for example /srv/models/coder.gguf.'],
      },
    ]
  },
}

/** Compose mounts the folder of a model file. For a file directly under `/`, that folder is the whole host. */
function mountFault({ kind, manager, model }: Service): string | undefined {
  const isAtTop = loadsGguf(kind) && /^\/+[^/]+$/.test(model.path)
  return inContainer({ manager }) && isAtTop ? 'its folder is `/`, so the container would see the whole host' : undefined
}

function faultOf(path: string): string | undefined {
  if (path.startsWith('~')) return 'no supervisor expands `~`'
  if (path.includes('$')) return 'no supervisor expands variables'
  if (!path.startsWith('/')) return 'it does not begin with `/`'
  if (path.split('/').some((part) => part === '..' || part === '.')) return '`.` and `..` make it inexact'
  return undefined
}
