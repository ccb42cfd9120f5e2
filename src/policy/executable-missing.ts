import { bringsUp } from './brings-up.ts'
import type { Rule } from './rule.ts'
import { factUnknown, inventoryLine } from './words.ts'

export const executableMissing: Rule = {
  code: 'EXECUTABLE.MISSING',
  severity: 'refuse',
  title: "The server's executable is not on the host.",
  explain:
    'The supervisor would fail to start the service, and start it again for ever. Install the program, or correct `executable` in ' +
    'the inventory. A program that is there but may not be executed is as good as missing.',
  consentable: false,
  checkAction(context) {
    const { service, host, facts } = context
    if (service.manager === 'compose' || service.executable === undefined || !bringsUp(context)) return []
    const executable = facts.executables[service.executable]
    if (executable === undefined) return []
    if (!executable.known) {
      const words = { host: host.name, decision: `whether ${service.name} could be started` }
      return [factUnknown(`The executable ${service.executable}`, executable, words)]
    }
    // Kind B may be a script that its interpreter reads.
    if (executable.value !== null && (executable.value.executable || service.interpreter !== undefined)) return []
    return [
      {
        why: `${service.name} on ${host.name} is to run ${service.executable}, which ${executable.value === null ? 'is not there' : 'may not be executed'}.`,
        evidence: [inventoryLine(service, `${service.name}: executable ${service.executable}`)],
        next: [`Install the program on ${host.name}, or correct executable in the inventory.`],
      },
    ]
  },
}
