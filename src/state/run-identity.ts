import { hostname, userInfo } from 'node:os'
import type { Context } from '../context/context.ts'
import type { RunBegun } from '../model/journal.ts'

/** The identity of a run in journals, locks and records on hosts. */
export interface RunIdentity extends Pick<RunBegun, 'run_id' | 'owner' | 'controller' | 'pid'> {
  /** ISO 8601. */
  readonly started: string
}

/** Ids sort by start time: `20261101T091500Z-4f2a1c`. */
export function newRunId({ now, random }: Pick<Context, 'now' | 'random'>): string {
  return idOf(now().toISOString(), random(3))
}

export function newRun(context: Pick<Context, 'now' | 'random'>): RunIdentity {
  const started = context.now().toISOString()
  return {
    run_id: idOf(started, context.random(3)),
    started,
    owner: userInfo().username,
    controller: hostname(),
    pid: process.pid,
  }
}

function idOf(started: string, random: string): string {
  return `${started.replace(/[-:]|\.\d+/g, '')}-${random}`
}
