import { managers } from '../managers/index.ts'
import type { ManagerName } from '../model/names.ts'
import { defaultInterpreter } from './defaults.ts'
import type { HostFinding } from './issues.ts'
import { error, rangeOf, type ServiceToCheck } from './service-to-check.ts'

/** What a supervisor refuses as the first word of a command. Arguments of an interpreter may be anything. */
export function checkFirstWord(service: ServiceToCheck, manager: ManagerName | undefined): readonly HostFinding[] {
  const { written, name } = service
  if (manager === undefined || written.kind === undefined) return []
  const field = defaultInterpreter(written.kind) === undefined ? 'executable' : 'interpreter'
  const fault = managers[manager].faults.program?.(written[field] ?? '')
  if (fault === undefined) return []
  const words = (whom: string) => `${manager} cannot start the \`${field}\` of \`${name}\` on ${whom}: ${fault}.`
  return [error(service, rangeOf(service, field), 'INPUT.VALUE', words)]
}
