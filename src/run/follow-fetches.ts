import pLimit from 'p-limit'
import { fetchIdOf } from '../facts/fetch-id.ts'
import { followFetch } from '../fetch/follow-fetch.ts'
import { lookAtFetch } from '../fetch/look-at-fetch.ts'
import { converge } from '../lib/next-command.ts'
import type { FetchedFile, FileProgress } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { FileOnHost } from '../simulate/fetch/state.ts'
import type { CopiedModel, CopyProgress } from './copy-model.ts'
import { type JudgedFetch, judgeAgain } from './fetch-cases.ts'
import type { Run } from './run.ts'

/** How often a job whose process is gone is restarted. */
const maxRestarts = 5

/** How jobs are started. */
export interface JobStarter {
  /** Starts or restarts the job of a model. */
  readonly start: (job: JudgedFetch) => Promise<JudgedFetch>
  /** Copies files from other hosts for a model whose job has not started. */
  readonly copy: (job: JudgedFetch, report: CopyProgress) => Promise<CopiedModel>
}

/** Models copied at a time: all data goes through this machine. */
const copiesAtOnce = 4

/**
 * Shows the progress of jobs until all have ended, then judges them. A job that was killed, or whose host was restarted, is restarted.
 * Models whose jobs have not started are copied from other hosts first.
 */
export async function followFetches(run: Run, jobs: readonly JudgedFetch[], begin: JobStarter): Promise<readonly JudgedFetch[]> {
  const limit = pLimit(copiesAtOnce)
  const shown = jobs.flatMap((job) => job.verdict.files.map((file) => ({ job, file })))
  run.emit({ type: 'fetch-started', files: shown.map(({ job, file }) => rowOf(job, file)) })
  return Promise.all(
    jobs.map(async (job) => {
      const first = shown.findIndex((one) => one.job === job)
      const arrived = new Map<number, number>()
      const report = (file: number, progress: FileProgress): void => {
        arrived.set(file, progress.have)
        run.emit({ type: 'file-progress', file: first + file, ...progress })
      }
      const over = await followModel(run, job, { begin, limit, report })
      // After an interrupt the last look is all there is.
      return run.context.signal.aborted ? asLastSeen(over, arrived) : over
    }),
  )
}

interface FollowContext {
  readonly begin: JobStarter
  readonly limit: ReturnType<typeof pLimit>
  readonly report: CopyProgress
}

async function followModel(run: Run, job: JudgedFetch, { begin, limit, report }: FollowContext): Promise<JudgedFetch> {
  const options = { restart: begin.start, report, restarts: 0 }
  if (job.verdict.state === 'fetching') return followOne(run, job, options)
  const copied = await limit(() => begin.copy(job, report))
  const begun = copied.ended === 'over' ? copied.job : await begin.start(job)
  if (begun.verdict.state === 'fetching') return followOne(run, begun, options)
  if (!run.context.signal.aborted)
    for (const [index, { have, state }] of begun.verdict.files.entries())
      report(index, { state: state === 'complete' ? 'done' : 'stopped', have })
  return begun
}

function asLastSeen(job: JudgedFetch, arrived: ReadonlyMap<number, number>): JudgedFetch {
  const files = job.verdict.files.map((file, index): FileOnHost => {
    const have = arrived.get(index) ?? file.have
    return have <= file.have ? file : { ...file, have, state: have < file.bytes ? 'partial' : 'unverified' }
  })
  return { ...job, verdict: { ...job.verdict, files } }
}

interface FollowOptions {
  readonly restart: (job: JudgedFetch) => Promise<JudgedFetch>
  readonly report: CopyProgress
  readonly restarts: number
}

async function followOne(run: Run, job: JudgedFetch, options: FollowOptions): Promise<JudgedFetch> {
  const { about, root = '', verdict } = job
  const { path: model, kind } = about.model
  const followed = await followFetch({
    files: verdict.files,
    look: async () =>
      lookAtFetch(await run.connections.to(job.host), { root, id: fetchIdOf(model), kind, model }, run.context.signal),
    onProgress: options.report,
    release: () => run.connections.release(job.host),
    clock: run.context.clock,
    signal: run.context.signal,
  })
  if (followed.ended === 'gone' && options.restarts < maxRestarts) {
    const again = await options.restart(await judgeAgain(run, job))
    return again.verdict.state === 'fetching' ? followOne(run, again, { ...options, restarts: options.restarts + 1 }) : again
  }
  if (followed.ended === 'lost') return { ...job, verdict: { ...verdict, state: 'unknown', problem: lost(job, followed.why) } }
  return followed.ended === 'interrupted' ? job : judgeAgain(run, job)
}

function rowOf({ about }: JudgedFetch, { path, bytes }: FileOnHost): FetchedFile {
  return { host: about.host, service: about.model.services.join(', '), name: path.slice(path.lastIndexOf('/') + 1), bytes }
}

function lost({ about }: JudgedFetch, why: string): Problem {
  return {
    code: 'FETCH.LOST',
    summary: 'The facts of the host could not be gathered again.',
    why: `${about.host} has not answered for a quarter of an hour: ${why} The download continues there unless the host is down.`,
    next: [converge(['fetch', 'status']), converge(['fetch'], { say: 'Follow or resume it:' })],
  }
}
