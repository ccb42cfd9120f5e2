import { managers } from '../managers/index.ts'
import type { ManagerName } from '../model/names.ts'
import { defaultInterpreter } from './defaults.ts'
import type { HostFinding } from './issues.ts'
import { error, rangeOf, type ServiceToCheck } from './service-to-check.ts'

/** What a supervisor refuses in the first word of a command; as an argument of an interpreter it takes anything. */
export function checkFirstWord(service: ServiceToCheck, manager: ManagerName | undefined): readonly HostFinding[] {
  const { written, name } = service
  if (manager === undefined || written.kind === undefined) return []
  const field = defaultInterpreter(written.kind) === undefined ? 'executable' : 'interpreter'
  const fault = managers[manager].faults.program?.(written[field] ?? '')
  if (fault === undefined) return []
  const words = (whom: string) => `\`${field}\` of \`${name}\` on ${whom} cannot be started by ${manager}: ${fault}.`
  return [error(service, rangeOf(service, field), 'INPUT.VALUE', words)]
}
