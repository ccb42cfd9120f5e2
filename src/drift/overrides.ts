import { defined } from '../lib/defined.ts'
import type { IgnoredFinding } from '../model/drift.ts'
import { overrideField } from '../model/operation.ts'
import { overrideWords } from '../policy/override-words.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** States that a person asked for in place of the inventory's: no drift while they last, but they are shown. */
export function overriddenStates(cases: readonly ServiceCase[]): readonly IgnoredFinding[] {
  return cases.flatMap(({ service: { name: service, state, override } }): readonly IgnoredFinding[] => {
    if (override === undefined) return []
    const { inventory, until, by } = override
    const end = Number.isNaN(Date.parse(until)) ? undefined : until
    return [
      {
        service,
        field: overrideField,
        class: 'drift',
        desired: inventory,
        recorded: null,
        actual: state,
        reason: overrideWords(override),
        owner: by,
        ...defined({ until: end }),
      },
    ]
  })
}
