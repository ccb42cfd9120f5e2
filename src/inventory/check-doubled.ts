import { serverKinds } from '../servers/index.ts'
import { settingOfFlag, settingOfVariable } from '../servers/setting.ts'
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
  const { fields } = serverKinds[written.kind]
  const flags = new Set((written.extra_args ?? []).map((word) => String(word).replace(/=.*$/u, '')))
  return [...flags].flatMap((flag) => {
    const setting = settingOfFlag(fields, flag)
    if (setting === undefined || setting.harmless === 'everywhere') return []
    const { field } = setting
    const words = (whom: string) =>
      `\`${flag}\` in the \`extra_args\` of \`${name}\` on ${whom} duplicates the field \`${field}\`. ${useField}`
    return [error(service, rangeOf(service, 'extra_args'), 'INPUT.CONFLICT', words)]
  })
}

const useField = 'Use the field, so that the checks see it.'

function doubledVariables(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  if (written.kind === undefined) return []
  const { fields } = serverKinds[written.kind]
  const prefix = written.env_prefix ?? serviceDefaults.envPrefix
  return Object.keys(written.env ?? {}).flatMap((variable) => {
    const setting = settingOfVariable(fields, variable, prefix)
    if (setting === undefined || setting.harmless !== undefined) return []
    const { field } = setting
    const words = (whom: string) =>
      `\`${variable}\` in the \`env\` of \`${name}\` on ${whom} duplicates the field \`${field}\`. ${useField}`
    return [error(service, rangeOf(service, 'env'), 'INPUT.CONFLICT', words)]
  })
}
