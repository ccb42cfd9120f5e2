import { awakeFor, ownAwake } from '../managers/launchd/keep-awake.ts'
import type { ServiceState } from '../managers/manager.ts'
import { hasField } from '../managers/traits.ts'
import type { Action, Preconditions } from '../model/action.ts'
import { factUnknown } from '../policy/words.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/**
 * Adds the action that keeps the Mac awake for its running server, or no longer does. The process that keeps it awake ends with the server, so
 * a server that stops or is replaced needs no action for the old one.
 */
export function withKeepAwake(subject: ServiceCase, state: ServiceState, proposal: Proposal): Proposal {
  const { service, host, facts } = subject
  if (!hasField(service.manager, 'keep_awake') || service.state !== 'running') return proposal
  const changes = proposal.actions.filter(({ kind }) => kind !== 'noop')
  if (changes.some(({ starts }) => starts))
    return service.keepAwake ? and(proposal, changes, setting(subject, 'yes', {})) : proposal
  const { process } = state
  if (process === null) return proposal
  const awake = awakeFor(process.pid, facts)
  if (!awake.known) {
    const words = { host: host.name, decision: `whether the Mac is kept awake for ${service.name}` }
    return service.keepAwake
      ? { actions: changes, findings: [...proposal.findings, factUnknown('The processes', awake, words)] }
      : proposal
  }
  if (service.keepAwake) return awake.value.length > 0 ? proposal : and(proposal, changes, setting(subject, 'yes', { process }))
  return ownAwake(awake.value, facts).length === 0 ? proposal : and(proposal, changes, setting(subject, 'no', { process }))
}

function and(proposal: Proposal, changes: readonly Action[], last: Action): Proposal {
  return { ...proposal, actions: [...changes, last] }
}

/** @param to whether the Mac is to be kept awake */
function setting(subject: ServiceCase, to: 'yes' | 'no', reliesOn: Preconditions): Action {
  return newAction(subject, {
    kind: 'host-setting',
    reason: reasons[to],
    changes: [{ field: 'keep_awake', from: to === 'yes' ? 'no' : 'yes', to, effect: 'none' }],
    reliesOn,
  })
}

const reasons = {
  yes: 'The Mac should stay awake while it runs.',
  no: 'The Mac no longer needs to stay awake while it runs.',
} as const
