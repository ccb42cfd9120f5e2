import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { resumeRun } from '../../run/resume-run.ts'
import { groups } from '../option-groups.ts'
import { actingOf, withActing, withClosing, withHosts, withReporting, withSteps } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge resume`: finishes an interrupted run. */
export const verb: Verb = {
  configure(command, finish) {
    const selected = command
      .argument('[run]', 'run id or its beginning (default: the latest unfinished run of the inventory)')
      .optionsGroup(groups.selection)
      .option(
        '-i, --inventory <path>',
        'inventory directory or file (default: if you name a run, its inventory; otherwise $CONVERGE_INVENTORY, or the only one in inventories/)',
      )
    const shared = selected.option('--run-id <id>', 'finish the interrupted shard of the run that has this --run-id')
    withActing(withSteps(withReporting(withHosts(withClosing(shared))))).action((named, options) =>
      finish(async (context) => {
        const { runId, ...flags } = options
        if (named !== undefined && runId !== undefined) throw twoRuns(named, runId)
        return resumeRun(context, { named, sharedId: runId, flags, ...actingOf(flags) })
      }),
    )
  },
}

function twoRuns(named: string, runId: string): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'Two runs are named.',
    why: `${named} is the id of one process, and --run-id ${runId} that of all shards of a run.`,
    next: [converge(['resume', named]), converge(['resume', '--run-id', runId])],
  })
}
