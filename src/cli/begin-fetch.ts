import { realpath } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { ConvergeError } from '../errors/converge-error.ts'
import { fetchIdOf } from '../facts/fetch-id.ts'
import { startFetch } from '../fetch/start-fetch.ts'
import type { Problem } from '../model/plan.ts'
import type { ActingRun } from './acting-run.ts'
import { endedJob, type JudgedFetch, judgeAgain } from './fetch-cases.ts'
import type { SecretResolver } from './keys.ts'

/** Starts the job of a model on its host, and looks at it then. What one host has against it is that host's alone. */
export async function beginFetch(
  run: ActingRun,
  job: JudgedFetch,
  { resolve, run_id }: { readonly resolve: SecretResolver; readonly run_id: string },
): Promise<JudgedFetch> {
  const { about, root, verdict } = job
  const { order } = verdict
  if (order === undefined || root === undefined) return job
  const { context, connections } = run
  try {
    const { token: reference } = about.model.source
    const token = reference === undefined || order.fetcher === 'none' ? undefined : await resolve(reference)
    const started = await startFetch(await connections.to(about.host), root, order, {
      owner: userInfo().username,
      controller: hostname(),
      inventory: await realpath(run.open.fleet.path),
      runId: run_id,
      startedAt: context.now().toISOString(),
      nonce: context.random(8),
      ...(token === undefined ? {} : { token }),
    })
    if (started.outcome === 'busy') return await heldBySomebody(run, job, started.holder)
    const again = await judgeAgain(run, job)
    const after = endedJob(job)
    return { ...again, begun: job.begun ?? (after === undefined ? {} : { after }) }
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return { ...job, verdict: { ...withoutOrder(job), state: 'failed', problem: error.toProblem() } }
  }
}

/** So often it is looked whether who holds the lock of a job has begun it by now. */
const looks = 5

/** Another run may be about to begin the same job. A lock whose holder does not work stands in the way of every run. */
async function heldBySomebody(run: ActingRun, job: JudgedFetch, holder: string): Promise<JudgedFetch> {
  const { clock, signal } = run.context
  for (let count = 1; ; count++) {
    // oxlint-disable-next-line no-await-in-loop -- one look after another
    const again = await judgeAgain(run, job)
    const { state } = again.verdict
    if (state === 'fetching' || state === 'complete' || state === 'unknown') return again
    if (count >= looks)
      return { ...again, verdict: { ...withoutOrder(again), state: 'failed', problem: lockHeld(again, holder) } }
    // oxlint-disable-next-line no-await-in-loop -- before the next
    await clock.sleep(1000, signal)
  }
}

/** Of a model that no job may be started for. */
export function withoutOrder({ verdict }: JudgedFetch): JudgedFetch['verdict'] {
  const { order: _order, suppliers: _suppliers, ...rest } = verdict
  return rest
}

function lockHeld({ about: { host, model }, root = '' }: JudgedFetch, holder: string): Problem {
  return {
    code: 'FETCH.BUSY',
    summary: 'Somebody else works on the model.',
    why: `On ${host}, the download of ${model.path} is locked by ${holder === '' ? 'another process' : `process ${holder}`}, which does not fetch it.`,
    next: [
      `Where that process or machine is gone for good, remove the lock on ${host}:  ${root}/fetch/${fetchIdOf(model.path)}/lock`,
    ],
  }
}
