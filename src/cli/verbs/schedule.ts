import { Argument, Option } from '@commander-js/extra-typings'
import type { Context } from '../../context/context.ts'
import { exitCodes } from '../../context/exit-code.ts'
import { ownCommand } from '../../context/own-command.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { Paint } from '../../report/paint.ts'
import { entryDocument, explainSchedule, renderSchedule, type ScheduleDocument } from '../../report/schedule-text.ts'
import { deliver } from '../../run/deliver.ts'
import { install, remainsNotes, remove, secretNotes } from '../../run/schedule/installed.ts'
import { schedulers } from '../../schedulers/index.ts'
import type { ScheduleName } from '../../schedulers/job.ts'
import { duration, timeOfDay } from '../duration.ts'
import { offering } from '../offered-values.ts'
import { withOutput } from '../options.ts'
import { accountOf } from '../schedule/account-of.ts'
import { makeJob, type ScheduleOptions } from '../schedule/make-job.ts'
import { schedulableVerbs } from '../schedule/scheduled-words.ts'
import type { Verb } from '../verb.ts'

interface Asked extends ScheduleOptions {
  readonly install?: true | undefined
  readonly remove?: true | undefined
  readonly print?: true | undefined
}

/** The result, and its text. */
interface Scheduled {
  readonly document: ScheduleDocument
  readonly text: (paint: Paint) => string
}

/** `converge schedule`: explains, prints or installs an entry for cron, systemd or launchd of this machine. No host is contacted. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .usage('[options] <cron|systemd|launchd> -- <verb> [arguments]')
      .addArgument(
        new Argument('<scheduler>', 'what runs the command on this machine').choices(['cron', 'systemd', 'launchd'] as const),
      )
      .addArgument(
        offering(
          new Argument(
            '[words...]',
            'after --: the command, which is drift, plan, status, verify, fetch or use, with its options',
          ),
          { values: schedulableVerbs },
        ),
      )
      .option('--every <duration>', 'interval, 5m to 7d', duration)
      .addOption(
        new Option('--at <time>', 'time of day instead, such as 22:00; local time').argParser(timeOfDay).conflicts('every'),
      )
      .option('--name <name>', 'name of the schedule (default: the command)')
      .option('--jitter <duration>', 'delay each start by up to this long; each machine always has the same delay', duration)
      .option(
        '--time-limit <duration>',
        'stop a run that takes longer (default: the interval, at most 1h; for use: 1d)',
        duration,
      )
      .option('--install', 'install the schedule (default: only show what would be installed)')
      .option('--remove', 'remove the schedule')
      .addOption(new Option('--print', 'print the complete files').conflicts(['install', 'remove']))
    withOutput(own).action((scheduler, words, options) =>
      finish(async (context) => {
        const { document, text } = await schedule(context, scheduler, { words, options })
        await deliver({ context, flags: options }, { document, text })
        for (const note of document.notes) context.err.writeProse(`${note}\n`)
        return exitCodes.done
      }),
    )
  },
}

async function schedule(
  context: Context,
  scheduler: ScheduleName,
  { words, options }: { readonly words: readonly string[]; readonly options: Asked },
): Promise<Scheduled> {
  const account = accountOf(context)
  if (options.remove === true) {
    const name = options.install === true ? undefined : (options.name ?? words[0])
    if (name === undefined) throw whichOne(options)
    const removed = await remove(context, scheduler, { name, account })
    const notes = remainsNotes(context, name)
    return whole({ schema: 'converge/schedule/v1', scheduler, name, done: 'removed', files: [], removed, notes })
  }
  const job = await makeJob(context, options, { words, program: ownCommand() })
  const entry = schedulers[scheduler].entry(job, account)
  const notes = secretNotes(job)
  if (options.install === true)
    return whole(entryDocument(entry, 'installed', [...notes, ...(await install(context, entry, account))]))
  const document = entryDocument(entry, 'printed', [...notes, 'Nothing was installed: --install does that.'])
  if (options.print === true) return whole(document)
  const next = { install: withOption(context, '--install'), print: withOption(context, '--print') }
  return { document, text: (paint) => explainSchedule(document, job, next, paint) }
}

function whole(document: ScheduleDocument): Scheduled {
  return { document, text: (paint) => paint.whole(renderSchedule(document)) }
}

/** The same command line with one option more; behind `--` it would be the verb's. */
function withOption({ argv }: Context, option: string): string {
  const dashes = argv.indexOf('--')
  const at = dashes === -1 ? argv.length : dashes
  return shellQuote(['converge', ...argv.slice(0, at), option, ...argv.slice(at)])
}

function whichOne({ install: both }: Asked): ConvergeError {
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: both === true ? '--install and --remove contradict each other.' : 'It is not clear which schedule is meant.',
    why: 'Nothing was written.',
    next: [converge(['schedule', 'cron', '--remove', '--name', 'drift'])],
  })
}
