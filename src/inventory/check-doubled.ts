import type { HostFinding } from './issues.ts'
import { error, placeOf, type ServiceToCheck } from './service-to-check.ts'

/**
 * Flags and variables that say what a field says. They would win over the field, unseen by the rules that judge the field. What
 * concerns GPU layers is left to the safety rule that knows all their spellings.
 */
export function checkDoubled(service: ServiceToCheck): readonly HostFinding[] {
  return [...doubledFlags(service), ...doubledVariables(service)]
}

const flagsOfBoth = { '--host': 'host', '--port': 'port', '--model': 'model' }
const flagsOfFields = {
  A: {
    ...flagsOfBoth,
    '-m': 'model',
    '--alias': 'alias',
    '-a': 'alias',
    '--ctx-size': 'ctx_size',
    '-c': 'ctx_size',
    '--threads': 'threads',
    '-t': 'threads',
    '--api-key-file': 'api_key',
  },
  B: { ...flagsOfBoth, '--model-id': 'alias', '--ctx': 'ctx', '--ram': 'ram_gb', '--allowed-host': 'allowed_hosts' },
}

function doubledFlags(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  if (written.kind === undefined) return []
  const fields: ReadonlyMap<string, string> = new Map(Object.entries(flagsOfFields[written.kind]))
  const flags = new Set((written.extra_args ?? []).map((word) => String(word).replace(/=.*$/u, '')))
  return [...flags].flatMap((flag) => {
    const field = fields.get(flag)
    if (field === undefined) return []
    const words = (whom: string) =>
      `\`${flag}\` among the \`extra_args\` of \`${name}\` on ${whom} says what the field \`${field}\` says. ${useField}`
    return [error(service, placeOf(service, 'extra_args'), 'INPUT.CONFLICT', words)]
  })
}

const useField = 'Use the field, so that the checks see it.'

const variablesOfKindA: ReadonlyMap<string, string> = new Map([
  ['LLAMA_ARG_HOST', 'host'],
  ['LLAMA_ARG_PORT', 'port'],
  ['LLAMA_ARG_MODEL', 'model'],
  ['LLAMA_ARG_ALIAS', 'alias'],
  ['LLAMA_ARG_CTX_SIZE', 'ctx_size'],
  ['LLAMA_ARG_THREADS', 'threads'],
  ['LLAMA_ARG_API_KEY_FILE', 'api_key'],
])

function doubledVariables(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  const ofKindB = new Map([
    [`${written.env_prefix ?? 'SRV'}_MODEL`, 'model'],
    ['CTX', 'ctx'],
    ['RAM_GB', 'ram_gb'],
  ])
  const fields = written.kind === 'A' ? variablesOfKindA : ofKindB
  return Object.keys(written.env ?? {}).flatMap((variable) => {
    const field = fields.get(variable)
    if (field === undefined) return []
    const words = (whom: string) =>
      `\`${variable}\` in the \`env\` of \`${name}\` on ${whom} says what the field \`${field}\` says. ${useField}`
    return [error(service, placeOf(service, 'env'), 'INPUT.CONFLICT', words)]
  })
}
