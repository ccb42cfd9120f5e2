import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { type Copied, copyFile } from '../fetch/copy-file.ts'
import { paceOf, type Sample, withSample } from '../fetch/pace.ts'
import { type Copy, openCopy, type Refused } from '../fetch/receive-piece.ts'
import { defined } from '../lib/defined.ts'
import type { FileProgress } from '../model/event.ts'
import type { Problem } from '../model/plan.ts'
import { failureProblem } from '../simulate/fetch/failure.ts'
import { isComing, type Supplier } from '../simulate/fetch/neighbours.ts'
import type { FileOnHost } from '../simulate/fetch/state.ts'
import { notGiven } from '../simulate/fetch/supply.ts'
import type { Transport } from '../transports/transport.ts'
import type { ActingRun } from './acting-run.ts'
import { fetcherOf } from './begin-fetch.ts'
import { type JudgedFetch, judgeAgain } from './fetch-cases.ts'

/** The result of copying a model's files from other hosts. */
export type CopiedModel =
  /** The job does the rest: it checks digests, and fetches missing files from the hub where it may. */
  | { readonly ended: 'ready' }
  /** No job is to be started; its current state. */
  | { readonly ended: 'over'; readonly job: JudgedFetch }

/** Receives the progress of each file, by its index among those of the model. */
export type CopyProgress = (file: number, progress: FileProgress) => void

interface CopyContext {
  readonly run: ActingRun
  readonly job: JudgedFetch
  readonly copy: Copy
  readonly report: CopyProgress
  /** Hosts that could not supply a file, by name, and why. */
  readonly silent: Map<string, string>
  /** When bytes last arrived, or the receiving host was first asked. */
  readonly alive: { at: number }
}

/** Copies a model's files from other hosts, through the connections of this run. Throws only for bugs. */
export async function copyModel(
  run: ActingRun,
  job: JudgedFetch,
  { run_id, report }: { readonly run_id: string; readonly report: CopyProgress },
): Promise<CopiedModel> {
  const { root, verdict } = job
  const { order } = verdict
  if (root === undefined || order === undefined) return { ended: 'over', job }
  const { context } = run
  const by = await fetcherOf(run, run_id)
  const copy = { root, order, nonce: context.random(8), by }
  const copying: CopyContext = { run, job, report, copy, silent: new Map(), alive: { at: context.clock.now() } }
  try {
    const opened = await whenReached(copying, (receiver) => openCopy(receiver, copying.copy))
    if (opened.ended !== 'open') return await refused(copying, opened)
    return await copyFiles(copying)
  } catch (error) {
    if (context.signal.aborted) return { ended: 'over', job }
    if (!(error instanceof ConvergeError)) throw error
    return over(job, error.toProblem())
  }
}

async function copyFiles(copying: CopyContext): Promise<CopiedModel> {
  const { about, verdict } = copying.job
  const lacking: FileOnHost[] = []
  for (const [index, file] of verdict.files.entries()) {
    if (!isComing(file)) continue
    // oxlint-disable-next-line no-await-in-loop -- one file of a model after another
    const copied = await copyFrom(copying, index, file)
    if (copied.ended === 'source') lacking.push(file)
    else if (copied.ended !== 'whole') return refused(copying, copied, file.path)
  }
  const [first] = lacking
  if (first === undefined || about.model.source.from !== 'fleet') return { ended: 'ready' }
  return over(copying.job, notGiven(about.host, first.path, whysOf(copying)))
}

function whysOf({ job: { about }, silent }: CopyContext): readonly string[] {
  const unseen = (about.neighbours?.unseen ?? []).filter(({ host }) => !silent.has(host))
  return [...[...silent].map(([host, why]) => `${host}: ${why}`), ...unseen.map(({ host, why }) => `${host}: ${why}`)]
}

/** Copies a file from the first host that can supply it. A host that failed before is not asked again. */
async function copyFrom(copying: CopyContext, index: number, file: FileOnHost): Promise<Copied> {
  const suppliers = copying.job.verdict.suppliers?.get(file.path) ?? []
  let progress = file.have
  for (const supplier of suppliers.filter(({ host }) => !copying.silent.has(host))) {
    // oxlint-disable-next-line no-await-in-loop -- one host after another
    const copied = await copyByTries(copying, { index, file: { ...file, have: progress }, supplier }, (have) => {
      progress = have
    })
    if (copied.ended !== 'source') return copied
    copying.silent.set(supplier.host, copied.why)
  }
  return { ended: 'source', why: 'no host could supply it' }
}

interface FileRequest {
  readonly index: number
  readonly file: FileOnHost
  readonly supplier: Supplier
}

const triesWithoutProgress = 3
const pauseMs = 2000

/** Reconnects after a broken connection; gives up a host after three tries without progress. */
async function copyByTries(copying: CopyContext, request: FileRequest, keep: (have: number) => void): Promise<Copied> {
  const { clock, signal } = copying.run.context
  let { have } = request.file
  for (let tries = 1; ; tries++) {
    const before = have
    // oxlint-disable-next-line no-await-in-loop -- one try after another
    const copied = await copyOnce(copying, { ...request, file: { ...request.file, have } }, (now) => {
      have = now
      keep(now)
    })
    if (copied.ended !== 'source' || signal.aborted) return copied
    if (have > before) tries = 1
    if (tries >= triesWithoutProgress) return copied
    // oxlint-disable-next-line no-await-in-loop -- before the next
    await clock.sleep(pauseMs, signal)
  }
}

const reportEveryMs = 500

async function copyOnce(
  copying: CopyContext,
  { index, file, supplier }: FileRequest,
  keep: (have: number) => void,
): Promise<Copied> {
  const { run, copy, report } = copying
  const { clock, signal } = run.context
  let samples: readonly Sample[] = []
  let reportedAt = 0
  const show = (have: number): void => {
    const at = clock.now()
    copying.alive.at = at
    if (at - reportedAt < reportEveryMs && have < file.bytes) return
    reportedAt = at
    samples = withSample(samples, { at, bytes: have })
    report(index, { state: 'fetching', have, note: `from ${supplier.host}`, ...paceOf(samples, file.bytes) })
  }
  show(file.have)
  let { have } = file
  return whenReached(copying, (receiver) =>
    copyFile({
      copy,
      file,
      have,
      supplier,
      receiver,
      source: () => sourceView(run, supplier.host),
      onProgress: show,
      took: (now) => {
        have = now
        keep(now)
      },
      clock,
      signal,
    }),
  )
}

/** Releases a broken connection, so that the next look opens a new one. */
async function sourceView(run: ActingRun, name: string) {
  const host = run.open.fleet.hosts.find((one) => one.name === name)
  if (host === undefined) throw new InternalError(`${name} is not in the fleet`)
  const view = await run.connections.to(host)
  const look: typeof view.look = async (script, options) => {
    try {
      return await view.look(script, options)
    } catch (error) {
      if (error instanceof ConvergeError) await run.connections.release(host)
      throw error
    }
  }
  return { ...view, look }
}

const longestPauseMs = 30_000
/** Long enough for a restart of the host. */
const patienceMs = 15 * 60_000

/** Reconnects when a connection breaks, until a quarter of an hour after the last byte. */
async function whenReached<T>({ run, job, alive }: CopyContext, work: (receiver: Transport) => Promise<T>): Promise<T> {
  const { connections, context } = run
  const { clock, signal } = context
  const { host } = job
  for (let pause = pauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after another
      return await work(await connections.to(host))
    } catch (error) {
      const isLost = error instanceof ConvergeError && error.code.startsWith('CONNECT.')
      if (!isLost || signal.aborted || clock.now() - alive.at > patienceMs) throw error
      // oxlint-disable-next-line no-await-in-loop -- before the next
      await connections.release(host)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await clock.sleep(pause, signal)
    }
  }
}

/** The job after the host refused the copy: another process works on it, or a person stopped it. */
async function refused(
  { run, job }: CopyContext,
  copied: Exclude<Copied | Refused, { ended: 'whole' | 'source' }>,
  path?: string,
): Promise<CopiedModel> {
  const { host } = job.about
  const at = defined({ path })
  if (copied.ended === 'failed') return over(job, failureProblem(host, { reason: copied.reason, ...at }))
  const now = await judgeAgain(run, job)
  if (copied.ended === 'stopped' || now.verdict.state === 'fetching') return { ended: 'over', job: now }
  return over(job, failureProblem(host, { reason: 'busy', ...at }))
}

function over(job: JudgedFetch, problem: Problem): CopiedModel {
  const { order: _order, suppliers: _suppliers, ...verdict } = job.verdict
  return { ended: 'over', job: { ...job, verdict: { ...verdict, state: 'failed', problem } } }
}
