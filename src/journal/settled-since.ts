import { hostItself } from '../model/action.ts'
import type { JournalledRun } from './journalled-run.ts'

/**
 * A run with what those that went on with it have finished: what they brought to its end is not to be done once more on its approvals.
 * They may have done it by another action than was planned (a restart for what was left of an update), so what they did counts for the service.
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

/** Services of which a run did everything that it was to do. */
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
