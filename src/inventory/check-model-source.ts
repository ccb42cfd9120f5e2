import { isLoopback } from '../lib/loopback.ts'
import type { HostFinding } from './issues.ts'
import { error, rangeOf, type ServiceToCheck } from './service-to-check.ts'
import { entriesOf } from './yaml-node.ts'

/** Checks the fields of a model's `source` together. */
export function checkModelSource(service: ServiceToCheck): readonly HostFinding[] {
  const source = service.written.model?.source
  if (source === undefined) return []
  const conflict = (field: string, words: string): readonly HostFinding[] => [
    error(service, rangeInSource(service, field), 'INPUT.CONFLICT', (whom) => `\`${service.name}\` of ${whom}: ${words}`),
  ]
  const hub = source.hub === undefined ? undefined : URL.parse(source.hub)
  const isOpen = hub?.protocol === 'http:' && !isLoopback(hub.hostname)
  return [
    ...(source.files !== undefined && source.include !== undefined
      ? conflict('include', '`include` is another name for `files`, and both are set. Keep one.')
      : []),
    ...(hub === null ? conflict('hub', 'the `hub` of its model is not a URL.') : []),
    ...(isOpen && source.token !== undefined
      ? conflict('hub', 'the `token` for its model would go to another machine over http, where others can read it. Use https.')
      : []),
  ]
}

function rangeInSource(service: ServiceToCheck, field: string) {
  const model = entriesOf(service.merged.fields.get('model')?.value)
  const source = entriesOf(model.get('source')?.value)
  return source.get(field)?.key ?? rangeOf(service, 'model')
}
