import type { Plan } from '../model/plan.ts'

/** The plan for journals and reports, which contain no files and scripts. */
export function withoutSteps<Quoted extends Plan>(plan: Quoted): Quoted {
  const hosts = plan.hosts.map(({ bookkeeping: _bookkeeping, ...host }) => ({
    ...host,
    actions: host.actions.map(({ steps: _steps, ...action }) => action),
  }))
  return { ...plan, hosts }
}
