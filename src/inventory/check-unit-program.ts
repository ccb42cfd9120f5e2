import { programFault } from '../managers/systemd/unit-text.ts'
import { defaultInterpreter } from './defaults.ts'
import type { HostFinding } from './issues.ts'
import { error, placeOf, type ServiceToCheck } from './service-to-check.ts'

/** What systemd refuses in the first word of a command; as an argument of an interpreter it takes anything. */
export function checkUnitProgram(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  const field = written.kind !== undefined && defaultInterpreter(written.kind) !== undefined ? 'interpreter' : 'executable'
  const fault = programFault(written[field] ?? '')
  if (fault === undefined) return []
  const words = (whom: string) => `\`${field}\` of \`${name}\` on ${whom} cannot stand in a unit: ${fault}.`
  return [error(service, placeOf(service, field), 'INPUT.VALUE', words)]
}
