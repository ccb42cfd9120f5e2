import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/**
 * A finding if the account or the folder of converge on the host is unknown: without them, nothing is written, started, stopped or removed.
 * Undefined: both are known.
 */
export function unknownFolder({ facts, host, service }: ServiceCase): Finding | undefined {
  if (facts.layout.known) return undefined
  const words = { host: host.name, decision: `where the files of ${service.name} are, and who may change them` }
  return factUnknown('The account and its folders', facts.layout, words)
}
