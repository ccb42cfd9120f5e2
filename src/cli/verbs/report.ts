import type { Context } from '../../context/context.ts'
import { exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { KeptRun, UnendedRun } from '../../model/kept-run.ts'
import { keptResult } from '../../report/kept-result.ts'
import { checkDestinations, deliver } from '../../run/deliver.ts'
import { mergeReports } from '../../run/merge-reports.ts'
import { checkKept, notAReport, renderKept } from '../../state/kept-report.ts'
import { readPastRuns } from '../../state/past-runs.ts'
import { keptPath, listKept, listRuns, readEntry } from '../../state/run-history.ts'
import { offering } from '../offered-values.ts'
import { withClosing, withReports } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge report`: an earlier run once more, in any format, or runs of parts of a fleet as one. */
export const verb: Verb = {
  configure(command, finish) {
    const asked = command
      .usage('[options] [run]\n       converge report merge [options] <file...>')
      .argument('[run]', 'run id or its beginning, as `converge history` lists it (default: the latest)', runOrMerge)
      .argument('[files...]', 'with `merge`: files that --format json=FILE wrote for parts of the fleet')
      .option('-i, --inventory <path>', 'with `merge`: the inventory that the findings point into')
    withReports(withClosing(asked)).action((named, files, options) =>
      finish(async (context) => {
        await checkDestinations(options)
        if (named === 'merge') {
          if (files.length === 0) throw whichFiles()
          return mergeReports(context, files, options)
        }
        if (files.length > 0 || options.inventory !== undefined) throw onlyWithMerge()
        const kept = await find(context, named)
        const path = keptPath(context, kept.run_id)
        await renderKept(path, () => checkKept(kept, path))
        const { run_id: until, inventory_place: place } = kept
        const past = async () => (place === undefined ? [] : readPastRuns(context, { place, until }))
        await renderKept(path, () => deliver({ context, flags: options, past }, keptResult(kept)))
        return exitCodes.done
      }),
    )
  },
}

const runOrMerge = offering((word: string) => word, { values: ['merge'] })

function whichFiles(): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'No reports to merge were given.',
    why: '`merge` stands before the names of files, one for each part of the fleet.',
    next: [converge(['report', 'merge', 'nas.json', 'macs.json', '--format', 'html=fleet.html'])],
  })
}

function onlyWithMerge(): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'A report covers one run.',
    why: 'More than one argument, or an inventory, is only of use where reports are put together.',
    next: [
      converge(['report', '20261101T0815'], { say: 'One run:' }),
      converge(['report', 'merge', 'nas.json', 'macs.json'], { say: 'Several:' }),
    ],
  })
}

/** @throws ConvergeError `HISTORY.NO_RUN`, `HISTORY.INVALID` */
async function find(context: Context, named: string | undefined): Promise<KeptRun> {
  const kept = await listKept(context)
  const all = named === undefined ? kept : await listRuns(context)
  const ids = all.includes(named ?? '') ? [named ?? ''] : all.filter((one) => one.startsWith(named ?? ''))
  const [id] = ids
  if (id === undefined || (named !== undefined && ids.length > 1)) throw noRun(named, ids)
  const entry = await readEntry(context, id)
  if ('begun_at' in entry) throw unended(entry)
  if (!('unreadable' in entry)) return { ...entry, run_id: id }
  throw kept.includes(id) ? notAReport(keptPath(context, id), entry.unreadable) : noRun(id, [], entry.unreadable)
}

function unended({ run_id, verb: of, begun_at }: UnendedRun): ConvergeError {
  return new ConvergeError('HISTORY.NO_RUN', {
    summary: 'There is no such report.',
    why: `The ${of} ${run_id}, begun at ${begun_at}, has no report: it was killed, or is still running.`,
    next: [converge(['resume', run_id], { say: 'If it is not running, finish it:' })],
  })
}

function noRun(named: string | undefined, ids: readonly string[], unreadable?: string): ConvergeError {
  const why =
    unreadable !== undefined
      ? `The report of ${named} cannot be read: ${unreadable}.`
      : named === undefined
        ? 'No run has left a report on this machine yet.'
        : ids.length === 0
          ? `No report that is kept here belongs to a run whose id begins with \`${named}\`. The oldest are deleted in time.`
          : `${ids.length} runs begin with \`${named}\`: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}.`
  return new ConvergeError('HISTORY.NO_RUN', {
    summary: 'There is no such report.',
    why,
    next: [converge(['history'], { say: 'Which runs left one:' })],
  })
}
