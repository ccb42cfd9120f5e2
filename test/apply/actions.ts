import type { Action, ActionKind } from '../../src/model/action.ts'

/** An action as the planner makes them, with nothing in it that execution looks at but its kind. */
export function actionOf(host: string, service: string, kind: ActionKind): Action {
  return {
    id: `${host}/${service}/${kind}`,
    host,
    service,
    kind,
    manager: 'compose',
    risk: 'safe',
    reason: 'it differs from the inventory',
    changes: [],
    downtime: 'seconds',
    interrupts: kind === 'restart' || kind === 'stop',
    starts: kind !== 'stop' && kind !== 'remove',
    relies_on: {},
  }
}
