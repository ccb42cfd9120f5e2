import type { Plan } from '../model/plan.ts'

/** The plan as journals and reports quote it: they tell what was done, and hold no content of files or scripts. */
export function withoutSteps<Quoted extends Plan>(plan: Quoted): Quoted {
  const hosts = plan.hosts.map(({ bookkeeping: _bookkeeping, ...host }) => ({
    ...host,
    actions: host.actions.map(({ steps: _steps, ...action }) => action),
  }))
  return { ...plan, hosts }
}
