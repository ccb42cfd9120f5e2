import type { HostFacts } from '../model/facts.ts'
import { type Unknown, unknown } from '../model/observed.ts'
import { firstWords } from './fact.ts'

/** As schemas/facts.schema.json is compiled: what is wrong, and where. */
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
 * The published schema is what a host may say: numbers in their ranges, names on one line, paths that a script can hold. What it says beyond
 * that is not known, and the rest stays as it is.
 */
export function soundFacts(facts: HostFacts, validate: FactsValidator): HostFacts {
  if (validate(facts)) return facts
  return (validate.errors ?? []).toSorted(byDepth).reduce(withoutFault, facts)
}

/** The deepest says most exactly what is wrong, and is the last that counts. */
function byDepth(a: Fault, b: Fault): number {
  return depthOf(a) - depthOf(b)
}

function depthOf({ instancePath }: Fault): number {
  return instancePath.split('/').length
}

function withoutFault(facts: HostFacts, { instancePath, message = 'is not as it may be' }: Fault): HostFacts {
  const [, field = '', part = '', ...rest] = instancePath
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const fact: unknown = Reflect.get(facts, field)
  if (typeof fact !== 'object' || fact === null) return facts
  const isRecord = !('known' in fact)
  const place = (isRecord ? rest : [part, ...rest]).filter((name) => name !== 'value').join('/')
  const strange: Unknown = unknown('unreadable', firstWords(`what the host tells cannot be: ${place} ${message}`))
  return { ...facts, [field]: isRecord ? { ...fact, [part]: strange } : strange }
}
