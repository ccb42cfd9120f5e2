import pLimit from 'p-limit'
import { fetchIdOf } from '../facts/fetch-id.ts'
import { followFetch } from '../fetch/follow-fetch.ts'
import { lookAtFetch } from '../fetch/look-at-fetch.ts'
import type { FetchedFile, FileProgress } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import type { FileOnHost } from '../plan/fetch/state.ts'
import type { CopiedModel, CopyTelling } from './copy-model.ts'
import { type JudgedFetch, judgeAgain } from './fetch-cases.ts'
import type { Run } from './run.ts'

/** A job whose process went is begun again so often. */
const mostRestarts = 5

/** How the jobs of models are begun. */
export interface Beginning {
  /** Begins the job of a model, also once more. */
  readonly start: (job: JudgedFetch) => Promise<JudgedFetch>
  /** Copies what other hosts have of a model whose job was not begun yet. */
  readonly copy: (job: JudgedFetch, tell: CopyTelling) => Promise<CopiedModel>
}

/** So many models are copied at a time: all of it comes through this machine. */
const copiesAtOnce = 4

/**
 * Shows how far jobs are until all are over, and judges them then. A job that was killed, or whose host was restarted, is begun again. Models
 * whose jobs were not begun are copied from other hosts first.
 */
export async function followFetches(run: Run, jobs: readonly JudgedFetch[], begin: Beginning): Promise<readonly JudgedFetch[]> {
  const limit = pLimit(copiesAtOnce)
  const shown = jobs.flatMap((job) => job.verdict.files.map((file) => ({ job, file })))
  run.emit({ type: 'fetch-started', files: shown.map(({ job, file }) => rowOf(job, file)) })
  return Promise.all(
    jobs.map(async (job) => {
      const place = { restart: begin.start, first: shown.findIndex((one) => one.job === job), restarts: 0 }
      if (job.verdict.state === 'fetching') return followOne(run, job, place)
      const tell = (file: number, progress: FileProgress): void =>
        run.emit({ type: 'file-progress', file: place.first + file, ...progress })
      const copied = await limit(() => begin.copy(job, tell))
      const begun = copied.ended === 'over' ? copied.job : await begin.start(job)
      if (begun.verdict.state === 'fetching') return followOne(run, begun, place)
      for (const [index, { have }] of job.verdict.files.entries()) tell(index, { state: 'stopped', have })
      return begun
    }),
  )
}

interface Place {
  readonly restart: (job: JudgedFetch) => Promise<JudgedFetch>
  /** Of its first file among all that are shown. */
  readonly first: number
  readonly restarts: number
}

async function followOne(run: Run, job: JudgedFetch, place: Place): Promise<JudgedFetch> {
  const { about, root = '', verdict } = job
  const { path: model, kind } = about.model
  const followed = await followFetch({
    files: verdict.files,
    look: async () =>
      lookAtFetch(await run.connections.to(about.host), { root, id: fetchIdOf(model), kind, model }, run.context.signal),
    tell: (file, progress) => run.emit({ type: 'file-progress', file: place.first + file, ...progress }),
    release: () => run.connections.release(about.host),
    clock: run.context.clock,
    signal: run.context.signal,
  })
  if (followed.ended === 'gone' && place.restarts < mostRestarts) {
    const again = await place.restart(await judgeAgain(run, job))
    return again.verdict.state === 'fetching' ? followOne(run, again, { ...place, restarts: place.restarts + 1 }) : again
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
    summary: 'The host could not be looked at any more.',
    why: `${about.host} has not answered for a quarter of an hour: ${why} The download goes on there unless the host is down.`,
    next: ['converge fetch status', 'Follow it again, or resume it:  converge fetch'],
  }
}
