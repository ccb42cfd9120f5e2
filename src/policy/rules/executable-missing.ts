import { inContainer } from '../../managers/traits.ts'
import { bringsUp } from '../brings-up.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'

export const executableMissing: Rule = {
  code: 'EXECUTABLE.MISSING',
  severity: 'refuse',
  title: "The server's executable is not on the host.",
  explain:
    'The supervisor would fail to start the service and would retry forever. Install the program, or correct `executable` in the inventory. A ' +
    'program that exists but is not executable counts as missing.',
  consentable: false,
  checkAction(context) {
    const { service } = context
    if (inContainer(service) || !bringsUp(context)) return []
    const { executable, interpreter } = service
    return [
      ...(interpreter === undefined ? [] : missing(context, { key: 'interpreter', path: interpreter, mustExecute: true })),
      // A script need not be executable itself: its interpreter reads it.
      ...(executable === undefined
        ? []
        : missing(context, { key: 'executable', path: executable, mustExecute: interpreter === undefined })),
    ]
  },
}

interface Program {
  readonly key: 'executable' | 'interpreter'
  readonly path: string
  readonly mustExecute: boolean
}

function missing({ service, host, facts }: ActionContext, { key, path, mustExecute }: Program): readonly Finding[] {
  const seen = facts.executables[path]
  if (seen === undefined) return []
  if (!seen.known) {
    const words = { host: host.name, decision: `whether ${service.name} can start` }
    return [factUnknown(`The executable ${path}`, seen, words)]
  }
  if (seen.value !== null && (seen.value.executable || !mustExecute)) return []
  return [
    {
      why: `${service.name} on ${host.name} runs ${path}, which ${seen.value === null ? 'is missing' : 'is not executable'}.`,
      evidence: [inventoryLine(service, [key], `${service.name}: ${path}`)],
      next: [`Install the program on ${host.name}, or correct its path in the inventory.`],
    },
  ]
}
