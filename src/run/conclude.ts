import { realpath } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { reportBug } from '../context/report-bug.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { mapStrings } from '../lib/map-strings.ts'
import type { Plan } from '../model/plan.ts'
import { withoutSteps } from '../plan/without-steps.ts'
import type { Result } from '../report/index.ts'
import { renderProblem } from '../report/problem-text.ts'
import { safeOverview } from '../report/safe-overview.ts'
import { readPastRuns } from '../state/past-runs.ts'
import { keepRun } from '../state/run-history.ts'
import { type Delivery, deliver, type OutputFlags, overviewOf } from './deliver.ts'
import type { OpenFleet } from './open-fleet.ts'
import type { HostFlags } from './run.ts'
import { shardedResult } from './sharded-result.ts'

export interface Conclusion {
  readonly verb: string
  readonly run_id: string
  readonly exit: ExitCode
  /** Prints nothing to stdout; files are still written. */
  readonly quiet?: boolean
  /** False: no entry in the history. */
  readonly kept?: boolean
}

interface FinishedRun extends Delivery {
  readonly flags: OutputFlags & Pick<HostFlags, 'notify' | 'quiet' | 'service'>
  readonly open: OpenFleet
}

/** Ends a run: sends notifications, keeps the report, then writes it to the requested outputs. */
export async function conclude(run: FinishedRun, found: Result, conclusion: Conclusion): Promise<void> {
  const { run_id, exit, quiet = false, kept = true } = conclusion
  const { result, delivery } = await withNotifications(run, shardedResult(found, run.open), conclusion)
  const { context } = delivery
  const whole = overviewOf(result, delivery.open)
  context.bugs.push(...whole.hosts.flatMap(({ problem }) => (problem?.code === 'INTERNAL.HOST' ? [problem] : [])))
  const place = await placeOf(delivery)
  if (kept) await keep(delivery, result, conclusion)
  try {
    await deliver(
      { ...delivery, quiet, past: async () => (place === undefined ? [] : readPastRuns(context, { place, until: run_id })) },
      result,
    )
  } catch (error) {
    // A failed run keeps its own exit code; the output error decides only for a run that succeeded.
    if (!(error instanceof ConvergeError) || exit === exitCodes.done) throw error
    context.err.writeProse(`${renderProblem(error.toProblem(), context.err.paint)}\n`)
  }
}

/** Writes the result or progress of a run into the history, replacing its earlier entry. */
export async function keep(run: FinishedRun, found: Result, { verb, run_id, exit }: Conclusion): Promise<void> {
  const { context, flags, open } = run
  const result = shardedResult(found, open)
  const redact = (text: string) => context.redactor.redact(text)
  const place = await placeOf(run)
  await keepRun(context, {
    schema: 'converge/kept-run/v1',
    run_id,
    verb,
    ...ownerOf(context, open),
    at: context.now().toISOString(),
    inventory: open.fleet.path,
    ...defined({ inventory_place: place, services: flags.service }),
    exit_code: exit,
    overview: safeOverview(overviewOf(result, open), redact),
    document: mapStrings(quoted(result.document), redact),
  })
}

/** Drops the steps of a plan: they would fill the history, and nothing is applied from there. */
function quoted(document: unknown): unknown {
  return isPlan(document) ? withoutSteps(document) : document
}

function isPlan(document: unknown): document is Plan {
  return isObject(document) && document['schema'] === 'converge/plan/v1'
}

/** Undefined if the inventory was moved meanwhile; the run is still reported. */
async function placeOf({ open }: FinishedRun): Promise<string | undefined> {
  return realpath(open.fleet.path).catch(() => undefined)
}

/** For an untrusted inventory no file of the machine is opened, not even its list of accounts. */
function ownerOf({ env }: Delivery['context'], { isClosed = false }: OpenFleet): { readonly owner?: string } {
  const owner = isClosed ? (env['LOGNAME'] ?? env['USER']) : userInfo().username
  return defined({ owner })
}

/** Sends notifications and adds their outcomes to the result. */
async function withNotifications(
  run: FinishedRun,
  result: Result,
  { verb, run_id }: Conclusion,
): Promise<{ readonly result: Result; readonly delivery: FinishedRun }> {
  const { context, flags, open } = run
  if (open.fleet.notify === undefined || flags.notify === false) return { result, delivery: run }
  const { notifyChanges } = await import('./notify-changes.ts')
  const overview = safeOverview(overviewOf(result, open), (text) => context.redactor.redact(text))
  const about = { open, verb, run_id, overview, quiet: flags.quiet === true }
  const notified = await notifyChanges(context, about).catch((error: unknown) => {
    if (!context.signal.aborted)
      reportBug(context, error, 'No notifications were sent because of it; the report of the run follows.')
  })
  if (notified === undefined) return { result, delivery: run }
  const { results, issues } = notified
  const document = results.length === 0 ? result.document : Object.assign({}, result.document, { notifications: results })
  return { result: { ...result, document }, delivery: { ...run, open: { ...open, warnings: [...open.warnings, ...issues] } } }
}
