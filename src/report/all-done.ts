import type { HostReport } from '../model/report.ts'

/** All actions and proofs of the host succeeded: only such hosts get a second plan. */
export function isAllDone({ reachable, problem, actions, smoke }: HostReport): boolean {
  return (
    reachable &&
    problem === undefined &&
    actions.every(({ status }) => status === 'applied' || status === 'not-needed') &&
    smoke.every(({ ok }) => ok)
  )
}
