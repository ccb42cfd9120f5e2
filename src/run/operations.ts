import { ConvergeError } from '../errors/converge-error.ts'
import type { JournalledRun } from '../journal/journalled-run.ts'
import { defined } from '../lib/defined.ts'
import { momentMs } from '../lib/moment.ts'
import { converge } from '../lib/next-command.ts'
import type { JournalledOperation } from '../model/journal.ts'
import type { Operation, Operations, OperationVerb } from '../model/operation.ts'
import type { Plan } from '../model/plan.ts'
import type { OpenFleet } from './open-fleet.ts'
import type { Observation } from './planning-run.ts'
import { defaultPlay, type SelectedPlay } from './plays.ts'

/** A run that does what a person asks of services by name, in place of what the inventory says. */
export interface OperationRun {
  /** Of the command line. */
  readonly verb: OperationVerb | 'use'
  readonly operations: Operations
  /** All of them or none: called with the plan before anything is done, and throws if a part of it is held back. Absent: what is possible. */
  readonly whole?: (plan: Plan, facts: Observation) => void
}

/** One play over exactly the services that are asked for. */
export function playOf({ hosts }: OpenFleet, operations: Operations): SelectedPlay {
  const concerned = hosts.filter(({ name, services }) => services.some((one) => operations.has(`${name}/${one.name}`)))
  const services = [...new Set(concerned.flatMap((host) => host.services.map(({ name }) => name)))]
  return { play: defaultPlay, hosts: concerned, services, settings: false, only: new Set(operations.keys()) }
}

/** For a plan of what is left: a server that was restarted need not be restarted again. */
export function asDone(operations: Operations): Operations {
  return new Map([...operations].map(([pair, operation]) => [pair, operation.verb === 'restart' ? { verb: 'start' } : operation]))
}

/** @throws ConvergeError `RESUME.OTHER_INPUT` if a state was to last until a time that has come */
export function mustStillLast(operations: Operations, runId: string, now: Date): void {
  const over = [...operations].filter(
    ([, { override }]) => override?.until !== undefined && momentMs(override.until) <= now.getTime(),
  )
  if (over.length === 0) return
  const names = over.map(([pair]) => pair.split('/').toReversed().join('@'))
  throw new ConvergeError('RESUME.OTHER_INPUT', {
    summary: 'The time until which the run was to last has come. Nothing was done.',
    why: `The run ${runId} asked for another state of ${names.join(', ')} until then.`,
    next: [converge(['plan'], { say: 'See what the inventory wants now:' })],
  })
}

/** For the journal, so that `resume` can repeat them. */
export function journalledOperations(operations: Operations): readonly JournalledOperation[] {
  return [...operations].map(([pair, operation]) => ({ pair, ...operation }))
}

/** The operations of an interrupted run. A server whose restart was begun is not restarted again, but has to run. */
export function operationsAgain({ begun, hosts }: JournalledRun): OperationRun | undefined {
  const { operations } = begun.selection
  if (operations === undefined) return undefined
  const begunActions = new Set(hosts.flatMap(({ inDoubt }) => inDoubt.flatMap(({ action }) => action ?? [])))
  const again = operations.map(({ pair, verb, override, reason }): [string, Operation] => {
    const isBegun = begunActions.has(`${pair}/restart`)
    return [pair, { verb: isBegun ? 'start' : verb, ...defined({ override, reason }) }]
  })
  return { verb: 'use', operations: new Map(again) }
}
