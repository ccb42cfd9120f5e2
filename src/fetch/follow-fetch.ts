import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { FileProgress } from '../model/event.ts'
import { arrivedBytes, type FetchFact, isProved, type WantedFile } from '../model/fetch.ts'
import type { Observed } from '../model/observed.ts'
import type { Clock } from '../time/clock.ts'
import { type Pace, paceOf, type Sample, withSample } from './pace.ts'

/** Input for following a job. */
export interface Following {
  readonly files: readonly WantedFile[]
  /** Observes the job; reconnects if the last connection broke. */
  readonly look: () => Promise<Observed<FetchFact>>
  /** Reports progress of each file, by its index in `files`, after every observation. */
  readonly onProgress: (file: number, progress: FileProgress) => void
  /** Closes a broken connection. */
  readonly release: () => Promise<void>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** How a job ended, or why that is unknown. */
export type Followed =
  | { readonly ended: 'over'; readonly fact: FetchFact }
  /** It was working when its process vanished: killed, or its host was restarted. */
  | { readonly ended: 'gone'; readonly fact: FetchFact }
  | { readonly ended: 'lost'; readonly why: string; readonly error?: ConvergeError }
  | { readonly ended: 'interrupted' }

const everyMs = 2000
const longestPauseMs = 30_000
/** Long enough for a host to restart. */
const patienceMs = 15 * 60_000

/** Polls every two seconds until the job is over. Reconnects for a quarter of an hour if the connection breaks. */
export async function followFetch({ files, look, onProgress, release, clock, signal }: Following): Promise<Followed> {
  let shown: readonly Shown[] = []
  let silentSince: number | undefined
  for (let pause = everyMs; !signal.aborted; ) {
    // oxlint-disable-next-line no-await-in-loop -- one poll after another
    const seen = await sight(look, signal)
    const at = clock.now()
    if (seen.fact?.known === true) {
      const fact = seen.fact.value
      silentSince = undefined
      pause = everyMs
      shown = files.map((file, index) => shownOf(file, fact, at, shown[index]))
      for (const [index, { progress, pace }] of shown.entries()) onProgress(index, { ...progress, ...pace })
      const ended = endOf(fact)
      if (ended !== undefined) return { ended, fact }
    } else {
      silentSince ??= at
      if (at - silentSince > patienceMs) return { ended: 'lost', why: seen.why, ...defined({ error: seen.error }) }
      for (const [index, { progress }] of shown.entries())
        if (isMoving(progress))
          onProgress(index, { ...progress, note: 'its host does not answer; the download may continue there' })
      // oxlint-disable-next-line no-await-in-loop -- before the next poll
      if (seen.error !== undefined) await release()
      pause = Math.min(pause * 2, longestPauseMs)
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.sleep(pause, signal)
  }
  return { ended: 'interrupted' }
}

interface Sight {
  readonly fact?: Observed<FetchFact>
  readonly why: string
  readonly error?: ConvergeError
}

async function sight(look: Following['look'], signal: AbortSignal): Promise<Sight> {
  try {
    const fact = await look()
    return { fact, why: fact.known ? '' : (fact.detail ?? fact.because) }
  } catch (error) {
    if (signal.aborted) return { why: '' }
    if (!(error instanceof ConvergeError)) throw error
    return { error, why: error.summary }
  }
}

function endOf({ job }: FetchFact): 'over' | 'gone' | undefined {
  if (job?.state !== 'working') return 'over'
  return job.alive ? undefined : 'gone'
}

/** The last reported progress of a file, and the samples for its pace. */
interface Shown {
  readonly progress: FileProgress
  readonly samples: readonly Sample[]
  readonly pace: Pace | undefined
}

function shownOf(file: WantedFile, fact: FetchFact, at: number, before: Shown | undefined): Shown {
  const progress = progressOf(file, fact)
  // Hashing has another pace than fetching.
  const earlier = progress.state === before?.progress.state ? before.samples : []
  const samples = withSample(earlier, { at, bytes: progress.have })
  return { progress, samples, pace: isMoving(progress) ? paceOf(samples, file.bytes) : undefined }
}

function isMoving({ state }: FileProgress): boolean {
  return state === 'fetching' || state === 'hashing'
}

function progressOf(file: WantedFile, fact: FetchFact): FileProgress {
  const { job } = fact
  if (isProved(file, fact)) return { state: 'done', have: file.bytes }
  const isAt = job?.path === file.path
  if (isAt && job.hashed !== undefined) return { state: 'hashing', have: job.hashed }
  const have = bytesThere(file, fact)
  if (isAt && job.state === 'failed') return { state: 'failed', have, note: 'failed' }
  if (job?.state === 'failed' || job?.state === 'stopped') return { state: 'stopped', have }
  return { state: isAt ? 'fetching' : 'waiting', have }
}

function bytesThere(file: WantedFile, { files }: FetchFact): number {
  return files.some(({ path }) => path === file.path) ? file.bytes : arrivedBytes(file, files)
}
