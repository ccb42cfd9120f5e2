import { realpath } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { ConvergeError } from '../errors/converge-error.ts'
import { fetchIdOf } from '../facts/fetch-id.ts'
import { startFetch } from '../fetch/start-fetch.ts'
import type { Fetcher } from '../fetch/written-order.ts'
import { defined } from '../lib/defined.ts'
import type { Problem } from '../model/plan.ts'
import type { ActingRun } from './acting-run.ts'
import { endedJob, type JudgedFetch, judgeAgain } from './fetch-cases.ts'
import type { SecretResolver } from './keys.ts'

/** Starts the download job of a model on its host, then looks at it. Errors of one host concern that host only. */
export async function beginFetch(
  run: ActingRun,
  job: JudgedFetch,
  { resolve, run_id }: { readonly resolve: SecretResolver; readonly run_id: string },
): Promise<JudgedFetch> {
  const { about, host, root, verdict } = job
  const { order } = verdict
  if (order === undefined || root === undefined) return job
  const { context, connections } = run
  try {
    const { token: reference } = about.model.source
    const token = reference === undefined || order.fetcher === 'none' ? undefined : await resolve(reference)
    const by = { ...(await fetcherOf(run, run_id)), ...defined({ token }) }
    for (let tries = 1; ; tries++) {
      // oxlint-disable-next-line no-await-in-loop -- once more, where the lock was released meanwhile
      const started = await startFetch(await connections.to(host), root, order, { ...by, nonce: context.random(8) })
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (started.outcome === 'begun') return begunJob(await judgeAgain(run, job), job)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const others = await jobOfOthers(run, job)
      if (others !== undefined) return others
      if (tries > 1) return { ...job, verdict: { ...withoutOrder(job), state: 'failed', problem: lockHeld(job, started.holder) } }
    }
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return { ...job, verdict: { ...withoutOrder(job), state: 'failed', problem: error.toProblem() } }
  }
}

/** The run that fetches, for the job's record on the host. */
export async function fetcherOf({ context, open }: ActingRun, runId: string): Promise<Fetcher> {
  return {
    owner: userInfo().username,
    controller: hostname(),
    inventory: await realpath(open.fleet.path),
    runId,
    startedAt: context.now().toISOString(),
  }
}

function begunJob(again: JudgedFetch, job: JudgedFetch): JudgedFetch {
  const after = endedJob(job)
  return { ...again, begun: job.begun ?? defined({ after }) }
}

/** Looks at the host before a lock holder that does not work counts as stuck. */
const looks = 4

/** The job that another run began meanwhile, or how it ended; undefined: the lock holder does not work. */
async function jobOfOthers(run: ActingRun, job: JudgedFetch): Promise<JudgedFetch | undefined> {
  const { clock, signal } = run.context
  let ended = false
  for (let count = 1; ; count++) {
    // oxlint-disable-next-line no-await-in-loop -- one look after another
    const again = await judgeAgain(run, job)
    const { state } = again.verdict
    if (state === 'fetching' || state === 'complete' || state === 'unknown') return again
    // A job writes for whom it works a moment before its state, so one look is not enough.
    if (ended) return { ...again, verdict: withoutOrder(again) }
    ended = runOf(again) !== runOf(job)
    if (count >= looks && !ended) return undefined
    // oxlint-disable-next-line no-await-in-loop -- before the next
    await clock.sleep(1000, signal)
  }
}

function runOf({ about: { fact } }: JudgedFetch): string | undefined {
  return fact.known ? fact.value.job?.runId : undefined
}

/** The verdict on a model for which no job may be started. */
export function withoutOrder({ verdict }: JudgedFetch): JudgedFetch['verdict'] {
  const { order: _order, suppliers: _suppliers, ...rest } = verdict
  return rest
}

/** @param holder `PID.START@MACHINE:NAME:BOOT`, or anything else that another program wrote there */
function lockHeld({ about: { host, model }, root = '' }: JudgedFetch, holder: string): Problem {
  const [, pid, name] = /^(\d+)\.[^@]*@[^:]*:([\w.-]+)/.exec(holder) ?? []
  const who = pid === undefined ? 'another process' : `process ${pid} of the machine ${name}`
  return {
    code: 'FETCH.BUSY',
    summary: 'Another process holds the download lock.',
    why: `On ${host}, ${who} holds the lock of ${model.path} and is not downloading it.`,
    next: [
      `Where that process or machine is gone for good, remove the lock on ${host}:  ${root}/fetch/${fetchIdOf(model.path)}/lock`,
    ],
  }
}
