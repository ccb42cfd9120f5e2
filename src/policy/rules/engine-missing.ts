import { shell } from '../../lib/next-command.ts'
import { inContainer } from '../../managers/traits.ts'
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
    // On what is no Linux another supervisor is wanted, not an engine.
    if (facts.platform.known && facts.platform.value.os !== 'linux') return []
    const { containers } = facts
    const because = containers.known ? engineFault(containers.value.engine) : unansweredFault(containers)
    if (because === undefined) return []
    return [
      {
        why: `${service.name} on ${host.name} is to run under ${service.manager}, and ${because}.`,
        evidence: [
          inventoryLine(service, ['manager'], `${service.name}: manager ${service.manager}`),
          `${host.name}: ${because}`,
        ],
        next: [
          `Install or start the container engine with compose on ${host.name}.`,
          shell('docker version && docker compose version', { say: `On ${host.name}:` }),
        ],
      },
    ]
  },
}

/** A right that is lacking, and time that ran out, are facts that could not be read: told as such when the service is compared. */
function unansweredFault({ because, detail }: Unknown): string | undefined {
  if (because === 'no-such-tool') return detail ?? 'no container engine is installed there'
  if (because === 'not-running') return `its container engine does not run${detail === undefined ? '' : ` (${detail})`}`
  if (because === 'unreadable') return `its container engine does not answer${detail === undefined ? '' : ` (${detail})`}`
  return undefined
}

function engineFault(engine: { readonly compose: { readonly known: boolean } } | null): string | undefined {
  if (engine === null) return 'no container engine is installed there'
  return engine.compose.known ? undefined : 'its container engine has no compose command'
}
