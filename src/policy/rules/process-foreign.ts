import { ownMember } from '../../lib/own-member.ts'
import { ownershipLabelOf } from '../../managers/ownership-label.ts'
import type { SimulatedService } from '../../simulate/host-state.ts'
import { ownContainer } from '../own-container.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { gerunds } from '../words.ts'

export const processForeign: Rule = {
  code: 'PROCESS.FOREIGN',
  severity: 'refuse',
  title: 'The process is not managed by converge.',
  explain:
    'This process runs from a foreign definition, or its definition is gone. converge stops only processes of definitions that it wrote or adopted. ' +
    'Others may be needed in ways that the inventory does not know. Stop it yourself, or adopt it first (`converge adopt`; see ' +
    'DEFINITION.FOREIGN).',
  consentable: false,
  checkAction(context) {
    const { action, service, host, state, before } = context
    const simulated = ownMember(before.services, service.name)
    if (simulated?.running !== true || !action.interrupts || isManaged(simulated)) return []
    // Overwriting a foreign definition includes restarting its process; DEFINITION.FOREIGN asks for that approval.
    if (simulated.definition === 'foreign' && action.kind === 'update') return []
    if (simulated.definition === 'none' && isManagedAnyway(context)) return []
    const what = state.process === null ? 'a process' : `pid ${state.process.pid}`
    return [
      {
        why: `${gerunds[action.kind]} ${service.name} on ${host.name} would end ${what}, which is unmanaged: it does not run from a definition that converge wrote or adopted.`,
        evidence: [
          `${state.definitionPath}: ${simulated.definition === 'none' ? 'no definition' : 'not written by converge'}`,
          ...(state.process === null ? [] : [`it runs as pid ${state.process.pid}`]),
          ...state.notes,
        ],
        next: [`Stop it yourself on ${host.name} if it is not needed, then plan again.`],
      },
    ]
  },
}

function isManaged({ definition }: SimulatedService): boolean {
  return definition === 'ours' || definition === 'adopted'
}

/** The file is gone, but the container has our mark, or the host's record of the last apply names the service. */
function isManagedAnyway(context: ActionContext): boolean {
  const { facts, service, fleet } = context
  if (ownContainer(context) === 'ours') return true
  const record = facts.applied.known ? ownMember(facts.applied.value, service.name) : undefined
  return record?.mark === ownershipLabelOf(fleet.settings.org, service.name)
}
