import type { Context } from '../../context/context.ts'
import { exitCodes } from '../../context/exit-code.ts'
import { ownCommand } from '../../context/own-command.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { LiveScreen } from '../../progress/live-screen.ts'
import type { LiveService } from '../../report/live-status.ts'
import { withGiven } from '../../report/next-text.ts'
import { runInForeground } from '../../transports/child-process.ts'
import type { OpenFleet } from '../open-fleet.ts'
import type { LiveCommand } from './live-keys.ts'

type Verb = Exclude<LiveCommand, 'quit'>

/** The words after `converge` that a key stands for. Undefined: no service is selected. */
export function commandFor(
  { context, open }: { readonly context: Pick<Context, 'given' | 'now'>; readonly open: Pick<OpenFleet, 'isClosed'> },
  verb: Verb,
  selected: Pick<LiveService, 'service' | 'host'> | undefined,
): readonly string[] | undefined {
  const words = wordsFor(verb, selected, context.now())
  if (words === undefined) return undefined
  return [...withGiven(words, context.given), ...(open.isClosed === true ? ['--no-secret-commands'] : [])]
}

function wordsFor(
  verb: Verb,
  selected: Pick<LiveService, 'service' | 'host'> | undefined,
  now: Date,
): readonly string[] | undefined {
  // A new file each time: none is overwritten that has not been asked about.
  if (verb === 'report') return ['status', '--format', `html=status-${now.toISOString().replace(/[-:]|\..*/g, '')}.html`]
  if (selected === undefined) return undefined
  const service = `${selected.service}@${selected.host}`
  return verb === 'logs' ? ['logs', service, '--follow'] : ['restart', service]
}

/**
 * Runs a command of converge in the terminal of the table, then returns to the table. It is a process of its own, because what looks cannot
 * act: `restart` plans, asks and logs in for itself.
 */
export async function runLiveCommand(context: Context, screen: LiveScreen, words: readonly string[]): Promise<void> {
  const { out, signal } = context
  await screen.lend(async () => {
    const [program = '', ...own] = ownCommand(process.execArgv)
    out.write(`$ ${shellQuote(['converge', ...words])}\n`)
    const end = await context.ignoreInterruptsDuring(() => runInForeground(program, [...own, ...words], { signal }))
    if ('failure' in end) out.write(`${program} could not be started: ${end.failure}\n`)
    // A log is followed until Ctrl-C; whatever else ends has something to read.
    else if (words[0] === 'logs' && end.exitCode === exitCodes.interrupted) return
    if (signal.aborted) return
    // Asked for first: from then on, the terminal does not echo it.
    const key = screen.anyKey(signal)
    out.write('Press any key to return to the table.')
    await key
    out.write('\n')
  })
}
