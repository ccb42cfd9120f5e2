import { serverKinds } from '../servers/index.ts'
import { serviceDefaults } from './defaults.ts'
import type { HostFinding } from './issues.ts'
import { error, rangeOf, type ServiceToCheck } from './service-to-check.ts'

/**
 * Flags and variables that duplicate a field. They would override the field, unseen by the rules that judge it. GPU layers are left to the safety
 * rule that knows all their spellings.
 */
export function checkDoubled(service: ServiceToCheck): readonly HostFinding[] {
  return [...doubledFlags(service), ...doubledVariables(service)]
}

function doubledFlags(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  if (written.kind === undefined) return []
  const fields: ReadonlyMap<string, string> = new Map(Object.entries(serverKinds[written.kind].fields.flags))
  const flags = new Set((written.extra_args ?? []).map((word) => String(word).replace(/=.*$/u, '')))
  return [...flags].flatMap((flag) => {
    const field = fields.get(flag)
    if (field === undefined) return []
    const words = (whom: string) =>
      `\`${flag}\` in the \`extra_args\` of \`${name}\` on ${whom} duplicates the field \`${field}\`. ${useField}`
    return [error(service, rangeOf(service, 'extra_args'), 'INPUT.CONFLICT', words)]
  })
}

const useField = 'Use the field, so that the checks see it.'

function doubledVariables(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  if (written.kind === undefined) return []
  const ofKind = serverKinds[written.kind].fields.variables(written.env_prefix ?? serviceDefaults.envPrefix)
  const fields: ReadonlyMap<string, string> = new Map(Object.entries(ofKind))
  return Object.keys(written.env ?? {}).flatMap((variable) => {
    const field = fields.get(variable)
    if (field === undefined) return []
    const words = (whom: string) =>
      `\`${variable}\` in the \`env\` of \`${name}\` on ${whom} duplicates the field \`${field}\`. ${useField}`
    return [error(service, rangeOf(service, 'env'), 'INPUT.CONFLICT', words)]
  })
}
