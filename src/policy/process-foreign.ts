import type { Rule } from './rule.ts'

export const processForeign: Rule = {
  code: 'PROCESS.FOREIGN',
  severity: 'refuse',
  title: 'The process is not managed by converge.',
  explain:
    'converge stops only processes that run from a definition it wrote. A process behind a definition of somebody else, or one whose ' +
    'definition is gone, may be needed in ways the inventory does not know. Stop it yourself, or let converge take the definition ' +
    'over first (see DEFINITION.FOREIGN).',
  consentable: false,
  checkAction({ action, service, host, state, before }) {
    const simulated = before.services[service.name]
    if (simulated?.running !== true || !action.interrupts || simulated.definition === 'ours') return []
    // Overwriting a foreign definition is one decision with restarting what runs from it: DEFINITION.FOREIGN asks for it.
    if (simulated.definition === 'foreign' && action.kind === 'update') return []
    const what = state.process === null ? 'what runs' : `pid ${state.process.pid}`
    return [
      {
        why: `To ${action.kind} ${service.name} on ${host.name} would end ${what}, which does not run from a definition that converge wrote.`,
        evidence: [
          `${state.definitionPath}: ${simulated.definition === 'none' ? 'there is no definition' : 'somebody else wrote it'}`,
          ...(state.process === null ? [] : [`it runs as pid ${state.process.pid}`]),
          ...state.notes,
        ],
        next: [`Stop it yourself on ${host.name} if it is not needed, then plan again.`],
      },
    ]
  },
}
