import { shell } from '../../lib/next-command.ts'
import { containerless, inContainer } from '../../managers/traits.ts'
import type { Unknown } from '../../model/observed.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const engineMissing: Rule = {
  code: 'ENGINE.MISSING',
  severity: 'refuse',
  title: 'No container engine with compose answers.',
  explain:
    'A service under compose needs a running container engine, its compose command, and an account that may use both. Install or start the ' +
    'engine, or set another `manager` for the service.',
  consentable: false,
  checkService({ service, host, facts }) {
    if (!inContainer(service)) return []
    // Off Linux, the remedy is another manager, not an engine.
    if (facts.platform.known && facts.platform.value.os !== 'linux') return []
    const { containers } = facts
    const because = containers.known ? engineFault(containers.value.engine) : unansweredFault(containers)
    if (because === undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} needs ${service.manager}, but ${because}.`,
        evidence: [
          inventoryLine(service, ['manager'], `${service.name}: manager ${service.manager}`),
          `${host.name}: ${because}`,
        ],
        next: [
          `Install or start the container engine with compose on ${host.name}.`,
          shell('docker version && docker compose version', { say: `On ${host.name}:` }),
          `Or run ${service.name} without a container: \`manager: ${containerless('linux')}\`.`,
        ],
      },
    ]
  },
}

/** A missing permission and a timeout are unknown facts, which are reported when the service is compared. */
function unansweredFault({ because, detail }: Unknown): string | undefined {
  if (because === 'no-such-tool') return detail ?? 'no container engine is installed'
  if (because === 'not-running') return `its container engine is not running${detail === undefined ? '' : ` (${detail})`}`
  if (because === 'unreadable') return `its container engine does not answer${detail === undefined ? '' : ` (${detail})`}`
  return undefined
}

function engineFault(engine: { readonly compose: { readonly known: boolean } } | null): string | undefined {
  if (engine === null) return 'no container engine is installed'
  return engine.compose.known ? undefined : 'its container engine has no compose command'
}
