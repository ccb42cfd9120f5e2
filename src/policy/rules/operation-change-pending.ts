import type { Rule } from '../rule.ts'

/** The planner raises it (`plan/propose-operation.ts`). */
export const operationChangePending: Rule = {
  code: 'OPERATION.CHANGE_PENDING',
  severity: 'refuse',
  title: 'A change is pending that only apply makes.',
  explain:
    '`start`, `stop` and `restart` leave the definition on the host as it is. If it is missing, is not managed by converge, or differs from the ' +
    'inventory, the server would not be what the inventory describes, and the smoke test could not prove it. `converge plan` shows the ' +
    'change; `converge apply` makes it, and starts the server.',
  consentable: false,
}
