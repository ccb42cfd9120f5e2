import type { HostReport } from '../model/report.ts'

/** Everything was done and proved there: only such hosts are looked at again for a second plan. */
export function isAllDone({ reachable, problem, actions, smoke }: HostReport): boolean {
  return (
    reachable &&
    problem === undefined &&
    actions.every(({ status }) => status === 'applied' || status === 'not-needed') &&
    smoke.every(({ ok }) => ok)
  )
}
