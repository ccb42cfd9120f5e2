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

/** What came of the files of a model that other hosts have. */
export type CopiedModel =
  /** The job does the rest: it takes digests, and asks the hub for what did not come where it may. */
  | { readonly ended: 'ready' }
  /** Nothing is to be started; how it stands now. */
  | { readonly ended: 'over'; readonly job: JudgedFetch }

/** Is told of each file, by its place among those of the model. */
export type CopyTelling = (file: number, progress: FileProgress) => void

interface Copying {
  readonly run: ActingRun
  readonly job: JudgedFetch
  readonly copy: Copy
  readonly tell: CopyTelling
  /** Hosts that gave nothing, by name, and why. */
  readonly silent: Map<string, string>
  /** When bytes last came, or the receiving host was first asked. */
  readonly alive: { at: number }
}

/** Copies what other hosts have of a model, through the connections of this run; never throws but for bugs. */
export async function copyModel(
  run: ActingRun,
  job: JudgedFetch,
  { run_id, tell }: { readonly run_id: string; readonly tell: CopyTelling },
): Promise<CopiedModel> {
  const { root, verdict } = job
  const { order } = verdict
  if (root === undefined || order === undefined) return { ended: 'over', job }
  const { context } = run
  const by = await fetcherOf(run, run_id)
  const copy = { root, order, nonce: context.random(8), by }
  const copying: Copying = { run, job, tell, copy, silent: new Map(), alive: { at: context.clock.now() } }
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

async function copyFiles(copying: Copying): Promise<CopiedModel> {
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

function whysOf({ job: { about }, silent }: Copying): readonly string[] {
  const unseen = (about.neighbours?.unseen ?? []).filter(({ host }) => !silent.has(host))
  return [...[...silent].map(([host, why]) => `${host}: ${why}`), ...unseen.map(({ host, why }) => `${host}: ${why}`)]
}

/** By the first host that gives it; one that gave nothing before is not asked again. */
async function copyFrom(copying: Copying, index: number, file: FileOnHost): Promise<Copied> {
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
  return { ended: 'source', why: 'no host gave it' }
}

interface Asked {
  readonly index: number
  readonly file: FileOnHost
  readonly supplier: Supplier
}

const triesWithoutProgress = 3
const pauseMs = 2000

/** A connection that breaks is made anew; who gives nothing three times in a row is given up. */
async function copyByTries(copying: Copying, asked: Asked, keep: (have: number) => void): Promise<Copied> {
  const { clock, signal } = copying.run.context
  let { have } = asked.file
  for (let tries = 1; ; tries++) {
    const before = have
    // oxlint-disable-next-line no-await-in-loop -- one try after another
    const copied = await copyOnce(copying, { ...asked, file: { ...asked.file, have } }, (now) => {
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

const tellEveryMs = 500

async function copyOnce(copying: Copying, { index, file, supplier }: Asked, keep: (have: number) => void): Promise<Copied> {
  const { run, copy, tell } = copying
  const { clock, signal } = run.context
  let samples: readonly Sample[] = []
  let told = 0
  const show = (have: number): void => {
    const at = clock.now()
    copying.alive.at = at
    if (at - told < tellEveryMs && have < file.bytes) return
    told = at
    samples = withSample(samples, { at, bytes: have })
    tell(index, { state: 'fetching', have, note: `from ${supplier.host}`, ...paceOf(samples, file.bytes) })
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
      tell: show,
      took: (now) => {
        have = now
        keep(now)
      },
      clock,
      signal,
    }),
  )
}

/** One whose connection broke is reached over a new one the next time. */
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
/** A host that is restarted is back by then. */
const patienceMs = 15 * 60_000

/** Over a new connection where one breaks, for a quarter of an hour after the last byte. */
async function whenReached<T>({ run, job, alive }: Copying, work: (receiver: Transport) => Promise<T>): Promise<T> {
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

/** Somebody else works on it, or a person stopped it: how it stands now. */
async function refused(
  { run, job }: Copying,
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
