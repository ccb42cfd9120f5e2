import { hostItself } from '../model/action.ts'
import type { JournalledRun } from './journalled-run.ts'

/**
 * A run with the actions that its resumptions have settled, so that its approvals are not used for them again.
 * A resumption may use another action than was planned (a restart for the rest of an update), so its result counts for the service.
 */
export function settledSince(run: JournalledRun, later: readonly JournalledRun[]): JournalledRun {
  const hosts = run.hosts.map((host) => {
    const planned = actionsOn(run, host.host)
    const done = new Set(later.flatMap((one) => finishedServices(one, host.host)))
    const since = planned.filter(({ service }) => done.has(service)).map(({ id }) => id)
    return { ...host, settled: [...new Set([...host.settled, ...since])] }
  })
  return { ...run, hosts }
}

/** Services for which a run did everything that it planned. */
function finishedServices(run: JournalledRun, host: string): readonly string[] {
  const settled = new Set(run.hosts.find((one) => one.host === host)?.settled)
  const byService = Map.groupBy(actionsOn(run, host), ({ service }) => service)
  return [...byService].flatMap(([service, actions]) =>
    service !== hostItself && actions.every(({ id }) => settled.has(id)) ? [service] : [],
  )
}

function actionsOn({ plan }: JournalledRun, name: string) {
  return (plan.hosts.find(({ host }) => host === name)?.actions ?? []).filter(({ kind }) => kind !== 'noop')
}
