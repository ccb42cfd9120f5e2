import type { HostFacts } from '../model/facts.ts'
import { type Unknown, unknown } from '../model/observed.ts'
import { firstWords } from './fact.ts'

/** The compiled schemas/facts.schema.json: what is wrong, and where. */
export interface FactsValidator {
  (facts: unknown): boolean
  errors?: readonly Fault[] | null
}

interface Fault {
  /** JSON pointer. */
  readonly instancePath: string
  readonly message?: string
}

/**
 * The published schema limits what a host may report: numbers within ranges, names on one line, paths that a script can handle. A fact that
 * violates it becomes unknown; all others stay.
 */
export function soundFacts(facts: HostFacts, validate: FactsValidator): HostFacts {
  if (validate(facts)) return facts
  return (validate.errors ?? []).toSorted(byDepth).reduce(withoutFault, facts)
}

/** Deepest last: it is the most precise, and the last one wins. */
function byDepth(a: Fault, b: Fault): number {
  return depthOf(a) - depthOf(b)
}

function depthOf({ instancePath }: Fault): number {
  return instancePath.split('/').length
}

function withoutFault(facts: HostFacts, { instancePath, message = 'is invalid' }: Fault): HostFacts {
  const [, field = '', part = '', ...rest] = instancePath
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const fact: unknown = Reflect.get(facts, field)
  if (typeof fact !== 'object' || fact === null) return facts
  const isRecord = !('known' in fact)
  const invalid = (isRecord ? rest : [part, ...rest]).filter((name) => name !== 'value').join('/')
  const strange: Unknown = unknown('unreadable', firstWords(`the host reported an invalid value: ${invalid} ${message}`))
  return { ...facts, [field]: isRecord ? { ...fact, [part]: strange } : strange }
}
