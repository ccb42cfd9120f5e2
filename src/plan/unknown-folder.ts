import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/**
 * Whoever acts has to know as whom, and where converge keeps its files on the host: nothing is written, started, stopped or removed
 * before. Undefined: both are known.
 */
export function unknownFolder({ facts, host, service }: ServiceCase): Finding | undefined {
  if (facts.layout.known) return undefined
  const words = { host: host.name, decision: `what may be done about ${service.name}, and where` }
  return factUnknown('The account and its folders', facts.layout, words)
}
