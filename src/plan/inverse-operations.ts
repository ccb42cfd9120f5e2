import type { HostFacts } from '../model/facts.ts'
import type { Operation, Operations, Override } from '../model/operation.ts'
import type { Plan, Problem } from '../model/plan.ts'
import { recordedOverride } from '../simulate/effective-host.ts'

/** What restores the states that the plan changes, and the overrides that held before. */
export function inverseOperations({ hosts }: Plan, facts: ReadonlyMap<string, HostFacts | Problem>): Operations {
  const actions = hosts.flatMap((host) => host.actions)
  return new Map(
    actions.flatMap(({ kind, host, service }): readonly (readonly [string, Operation])[] => {
      const seen = facts.get(host)
      if ((kind !== 'start' && kind !== 'stop') || seen === undefined || !('salt' in seen)) return []
      return [[`${host}/${service}`, inverseOf(kind, recordedOverride({ name: service }, seen))]]
    }),
  )
}

function inverseOf(kind: 'start' | 'stop', before: Override | undefined): Operation {
  const verb = kind === 'start' ? 'stop' : 'start'
  if (before?.state !== (kind === 'start' ? 'stopped' : 'running')) return { verb }
  const { state: _state, ...override } = before
  return { verb, override }
}
