import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { defined } from '../../lib/defined.ts'
import type { PruneItem } from '../../model/prune.ts'
import { type PruneDocument, type PrunedHost, type PrunedItem, renderPrune } from '../../report/prune-text.ts'
import { type ActingRun, withActingRun } from '../../run/acting-run.ts'
import { isAgreed, mustBeAbleToAsk, notWanted } from '../../run/ask.ts'
import { deliver } from '../../run/deliver.ts'
import { type JudgedHost, judgeHosts, pruningFrom } from '../../run/prune-cases.ts'
import { isSameItem, type PrunedDownloads, pruneHost } from '../../run/prune-host.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { newRun } from '../../state/run-identity.ts'
import { withConfirm, withHosts, withOutput, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge prune`: removes downloaded files without references, and partial files of ended downloads. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command.option('--check', 'remove nothing; exit with 2 if something would be removed')
    withOutput(withHosts(withConfirm(withShards(own)))).action(({ check = false, confirm = false, service, ...options }) =>
      finish(async (context) => {
        if (!check) mustBeAbleToAsk(context, options, confirm)
        return withActingRun(context, options, (run) => prune(run, { check, confirmed: confirm, services: service }))
      }),
    )
  },
}

interface PruneFlags {
  readonly check: boolean
  readonly confirmed: boolean
  /** Also names of services that the inventory no longer has. */
  readonly services: readonly string[] | undefined
}

async function prune(run: ActingRun, { check, confirmed, services }: PruneFlags): Promise<ExitCode> {
  const { context } = run
  const selection = { services, here: await pruningFrom(run) }
  const judged = await judgeHosts(run, selection)
  await run.stopDisplay()
  const isDue = judged.some((one) => 'items' in one && one.items.some(({ verdict }) => verdict === 'remove'))
  const shown = judged.map((one) => shownHost(one))
  if (check || !isDue) return conclude(run, shown, isDue ? exitCodes.changes : exitCodes.done, judged)
  if (!confirmed) {
    context.err.writeProse(renderPrune({ hosts: shown }, context.err.paint))
    if (!(await isAgreed(context, 'Remove this?', 'Nothing was removed.'))) return notWanted
  }
  const identity = newRun(context)
  const seen = new Map(judged.flatMap((one) => ('facts' in one ? [[one.host.name, one.facts] as const] : [])))
  const ended = await Promise.all(judged.map((one) => pruneHost(run, one, { identity, selection, seen })))
  const interrupted = context.signal.aborted ? exitCodes.interrupted : exitCodes.done
  const hosts = judged.map((one, index) => shownHost(one, ended[index]))
  return conclude(run, hosts, worstOf([interrupted, ...ended.map(exitOf)]), judged)
}

function exitOf({ outcomes, problem }: PrunedDownloads): ExitCode {
  if (problem?.code === 'APPLY.LOCKED') return exitCodes.locked
  if (problem !== undefined) return problem.code === 'INTERNAL.HOST' ? exitCodes.bug : exitCodes.stepFailed
  return outcomes.some((one) => 'why' in one) ? exitCodes.stepFailed : exitCodes.done
}

/** @param ended absent: nothing was removed yet */
function shownHost(judged: JudgedHost, ended?: PrunedDownloads): PrunedHost {
  const host = judged.host.name
  if (!('items' in judged)) return { host, problem: judged.problem, bytes: 0, items: [] }
  const items = judged.items.map((item) => shownItem(item, ended))
  const gone = items.filter(({ state }) => state === 'removed' || state === 'to-remove')
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0)
  return { host, ...defined({ problem: ended?.problem }), bytes, items }
}

function shownItem(item: PruneItem, ended: PrunedDownloads | undefined): PrunedItem {
  const { model, services, kind, path, bytes, why, verdict } = item
  const shown = { model, services, kind, path, bytes, why }
  if (verdict === 'keep') return { ...shown, state: 'kept' }
  if (ended === undefined) return { ...shown, state: 'to-remove' }
  const outcome = ended.outcomes.find((one) => isSameItem(one.item, item))
  if (outcome === undefined) return { ...shown, state: 'failed', why: 'the run ended before its turn came' }
  return 'gone' in outcome ? { ...shown, state: 'removed' } : { ...shown, state: 'failed', why: outcome.why }
}

async function conclude(
  run: ActingRun,
  hosts: readonly PrunedHost[],
  exit: ExitCode,
  judged: readonly JudgedHost[],
): Promise<ExitCode> {
  await run.stopDisplay()
  const document: PruneDocument = { schema: 'converge/prune/v1', hosts }
  await deliver(run, { document, text: (paint) => renderPrune(document, paint) })
  const unseen = judged.flatMap((one) => ('problem' in one ? [unseenExit(one.problem)] : []))
  const isUnsure = judged.some((one) => 'items' in one && one.items.some((item) => item.unknown === true))
  return worstOf([exit, ...unseen, ...(isUnsure ? [exitCodes.unreachable] : [])])
}
