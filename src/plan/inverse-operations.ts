import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import { type Operation, type Operations, type Override, overrideField } from '../model/operation.ts'
import type { Plan, Problem } from '../model/plan.ts'
import { recordedOverride } from '../simulate/effective-host.ts'

/** What restores the states that the plan of the operations changes, and the overrides that held before. */
export function inverseOperations(
  { hosts }: Plan,
  facts: ReadonlyMap<string, HostFacts | Problem>,
  operations: Operations,
): Operations {
  const actions = hosts.flatMap((host) => host.actions)
  return new Map(
    actions.flatMap((action): readonly (readonly [string, Operation])[] => {
      const { host, service } = action
      const seen = facts.get(host)
      const verb = verbBack(action, operations.get(`${host}/${service}`))
      if (verb === undefined || seen === undefined || !('salt' in seen)) return []
      return [[`${host}/${service}`, inverseOf(verb, recordedOverride({ name: service }, seen))]]
    }),
  )
}

/** Where only the override changes, the server stays as it is. */
function verbBack({ kind, changes }: Action, operation: Operation | undefined): 'start' | 'stop' | undefined {
  if (kind === 'start') return 'stop'
  if (kind === 'stop') return 'start'
  if (operation === undefined || !changes.some(({ field }) => field === overrideField)) return undefined
  return operation.verb === 'stop' ? 'stop' : 'start'
}

function inverseOf(verb: 'start' | 'stop', before: Override | undefined): Operation {
  if (before?.state !== (verb === 'start' ? 'running' : 'stopped')) return { verb, override: null }
  const { state: _state, ...override } = before
  return { verb, override }
}
