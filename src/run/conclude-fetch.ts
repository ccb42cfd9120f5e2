import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { defined } from '../lib/defined.ts'
import type { FetchDocument, FetchedModel } from '../model/fetch-document.ts'
import { renderFetch } from '../report/fetch-text.ts'
import type { Result } from '../report/index.ts'
import { overviewOfFetch } from '../report/overview-of-fetch.ts'
import { jobOn } from '../simulate/fetch/fetch-plan.ts'
import { conclude, keep } from './conclude.ts'
import { deliver } from './deliver.ts'
import type { JudgedFetch, JudgedFetches } from './fetch-cases.ts'
import type { SeenFetch } from './fetch-outcomes.ts'
import type { Run } from './run.ts'
import { unseenExit } from './unseen-exit.ts'

/** Prints the progress of the models. Sends no notification and keeps nothing. */
export async function showFetches(run: Run, found: JudgedFetches): Promise<ExitCode> {
  await run.stopDisplay()
  await deliver(run, resultOf(documentOf(run, found)))
  return exitOf(found, 'shown')
}

/** Ends a run that fetches, or checks what it would fetch: sends notifications and writes the history. */
export async function concludeFetch(
  run: Run,
  found: JudgedFetches,
  {
    run_id,
    isCheck = false,
    isFollowed = false,
  }: { readonly run_id: string; readonly isCheck?: boolean; readonly isFollowed?: boolean },
): Promise<ExitCode> {
  await run.stopDisplay()
  const exit = run.context.signal.aborted
    ? exitCodes.interrupted
    : exitOf(found, isCheck ? 'check' : isFollowed ? 'followed' : 'begun')
  await conclude(run, resultOf(documentOf(run, found, run_id)), { verb: 'fetch', run_id, exit, kept: hasBegun(found) })
  return exit
}

/** Writes started jobs into the history before the run waits for them. */
export async function keepBegun(run: Run, found: JudgedFetches, run_id: string): Promise<void> {
  if (hasBegun(found))
    await keep(run, resultOf(documentOf(run, found, run_id)), { verb: 'fetch', run_id, exit: exitOf(found, 'shown') })
}

function hasBegun({ models }: JudgedFetches): boolean {
  return models.some(({ begun }) => begun !== undefined)
}

function resultOf(document: FetchDocument): Result {
  return { document, text: (paint) => renderFetch(document, paint), overview: (around) => overviewOfFetch(document, around) }
}

function documentOf({ context, open }: Run, found: JudgedFetches, run_id?: string): FetchDocument {
  const { path, digest } = open.fleet
  return {
    schema: 'converge/fetch/v1',
    ...(run_id === undefined || !hasBegun(found) ? {} : { run_id }),
    created_at: context.now().toISOString(),
    inventory: { path, digest },
    unreachable: found.unreachable,
    models: found.models.map(modelOf),
  }
}

function modelOf({ about, verdict, begun, misfit }: JudgedFetch): FetchedModel {
  const { host, model, fact } = about
  const { path, services, source } = model
  const { state, commit, problem } = verdict
  const job = jobOn(fact)
  return {
    host,
    services,
    model: path,
    hub: source.hub,
    repo: source.repo,
    revision: source.revision,
    commit,
    files: filesOf(verdict),
    state,
    ...defined({ job, resumed: begun?.after, problem, warning: misfit }),
  }
}

function filesOf(verdict: JudgedFetch['verdict']): FetchedModel['files'] {
  return verdict.files.map(({ path, bytes, have, state }) => ({ path, bytes, have, state, ...fromOf(verdict, path) }))
}

function fromOf({ suppliers }: JudgedFetch['verdict'], path: string): { readonly from?: string } {
  const host = suppliers?.get(path)?.[0]?.host
  return defined({ from: host })
}

/** For the history: the state of jobs of earlier runs. */
export function seenOf({ about: { host, model, fact }, verdict }: JudgedFetch): SeenFetch {
  const job = jobOn(fact)
  return { host, model: model.path, files: filesOf(verdict), ...defined({ job }) }
}

/** What the run was asked to do. */
type Purpose = 'shown' | 'check' | 'begun' | 'followed'

function exitOf({ unreachable, models }: JudgedFetches, purpose: Purpose): ExitCode {
  const codes = models.map(({ verdict }) => exitOfModel(verdict.state, purpose))
  return worstOf([exitCodes.done, ...codes, ...unreachable.map(({ problem }) => unseenExit(problem))])
}

function exitOfModel(state: JudgedFetch['verdict']['state'], purpose: Purpose): ExitCode {
  if (state === 'refused') return exitCodes.refused
  if (state === 'unknown') return exitCodes.unreachable
  if (state === 'complete') return exitCodes.done
  if (purpose === 'check') return exitCodes.changes
  // A run that was asked to start or finish a download, and did not, fails.
  const failing = { shown: ['failed'], begun: ['failed', 'due', 'stopped'], followed: ['failed', 'due', 'stopped', 'fetching'] }
  return failing[purpose].includes(state) ? exitCodes.stepFailed : exitCodes.done
}
