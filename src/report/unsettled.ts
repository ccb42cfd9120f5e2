import type { Action } from '../model/action.ts'
import type { ActionResult, HostReport, RunReport } from '../model/report.ts'

/** A service that a run left neither as before nor as wanted. */
export interface Unsettled {
  readonly host: string
  readonly service: string
  /** `down`: the run stopped it for a while and did not start it again. `in-doubt`: it is unknown whether its last step was done. */
  readonly state: 'down' | 'in-doubt'
}

/** Services that need a person, in the order of the report. */
export function unsettledIn(report: Pick<RunReport, 'hosts' | 'plan'>): readonly Unsettled[] {
  return report.hosts.flatMap((host) => unsettledOn(host, report.plan))
}

function unsettledOn({ host, actions }: HostReport, plan: RunReport['plan']): readonly Unsettled[] {
  const planned = plan?.hosts.find((one) => one.host === host)?.actions ?? []
  const states = new Map<string, Unsettled['state']>()
  for (const result of actions) {
    const action = planned.find(({ id }) => id === result.action)
    if (action === undefined) continue
    const state = stateAfter(result, action)
    if (state === 'as-wanted') states.delete(action.service)
    else if (state !== undefined) states.set(action.service, state)
  }
  return [...states].map(([service, state]) => ({ host, service, state }))
}

/** Undefined: the action leaves its state as it is. */
function stateAfter(
  result: ActionResult,
  { interrupts, starts, temporary }: Action,
): Unsettled['state'] | 'as-wanted' | undefined {
  const { status } = result
  if (isUndone(result) || status === 'not-run' || status === 'refused') return undefined
  if (temporary !== undefined && status !== 'not-needed') return 'down'
  if (status === 'failed' && (interrupts || starts)) return 'in-doubt'
  return starts ? 'as-wanted' : undefined
}

/** The service is as before, or the host restores it. */
function isUndone({ status, undone }: ActionResult): boolean {
  return status === 'failed' && (undone === 'restored' || undone === 'not-needed' || undone === 'left-to-host')
}
