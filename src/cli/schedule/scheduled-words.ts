import { resolve } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { OutputFlags } from '../../run/deliver.ts'
import { NotScheduled } from '../../run/schedule/not-scheduled.ts'
import type { Verb } from '../verb.ts'

/** The scheduled command, as the verb itself parses it. */
export interface ScheduledWords {
  readonly verb: string
  /** As given, except for the paths of inventory and ssh config, which are absolute. */
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Its arguments that are no options. */
  readonly names: readonly string[]
  /** Where it writes results. */
  readonly output: OutputFlags & { readonly out?: string | undefined }
}

/**
 * The read-only verbs about the fleet, and two that act: `fetch` interrupts no server, and `use` has a time that a person chose (`--at`). Only
 * the arguments of these two are parsed here; their actions cannot be reached.
 */
const suitable: Readonly<Record<string, () => Promise<{ readonly verb: Pick<Verb, 'configure'> }>>> = {
  drift: () => import('../verbs/drift.ts'),
  fetch: () => import('./scheduled-fetch.ts'),
  plan: () => import('../verbs/plan.ts'),
  status: () => import('../verbs/status.ts'),
  use: () => import('./scheduled-use.ts'),
  verify: () => import('../verbs/verify.ts'),
}

/** The verbs that may be scheduled. */
export const schedulableVerbs: readonly string[] = Object.keys(suitable)

/** Options added to the given ones. A scheduled run does not wait for downloads: they continue on their hosts. */
const added: Readonly<Record<string, readonly string[]>> = { fetch: ['--detach'] }

/**
 * Parses the words after `--` with the verb's own options, so that an error which each run would repeat is reported now.
 *
 * @throws ConvergeError `USAGE.SCHEDULE`
 */
export async function readScheduledWords(words: readonly string[], cwd: string): Promise<ScheduledWords> {
  const [verb, ...args] = words
  if (verb === undefined) throw unsuitable('No verb follows `--`.')
  const load = Object.hasOwn(suitable, verb) ? suitable[verb] : undefined
  if (load === undefined) throw notReadOnly(verb)
  const { options, names } = parsedAs(verb, args, (await load()).verb)
  if (options['watch'] === true) throw unsuitable('`status --watch` has no end; the schedule itself repeats `status`.')
  const more = (added[verb] ?? []).filter((word) => !args.includes(word))
  return { verb, args: [...more, ...absolutePaths(args, cwd)], options, names, output: options }
}

function parsedAs(
  name: string,
  args: readonly string[],
  verb: Pick<Verb, 'configure'>,
): Pick<ScheduledWords, 'options' | 'names'> {
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  verb.configure(command, async () => undefined)
  try {
    command.parse([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof NotScheduled) throw unsuitable(error.message)
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('commander.'))) throw error
    const why = error.message.startsWith('(')
      ? 'it would only print its help'
      : error.message.replace(/^error: /, '').replaceAll('\n', ' ')
    throw unsuitable(`\`converge ${name}\` would end at once: ${why.trimEnd()}.`)
  }
  return { options: command.opts(), names: command.args }
}

const pathOptions = new Set(['-i', '--inventory', '--ssh-config'])

/** Other paths stay as they are: the run has the same working folder. */
function absolutePaths(args: readonly string[], cwd: string): readonly string[] {
  const end = args.indexOf('--')
  return args.map((word, index) => {
    if (end >= 0 && index >= end) return word
    if (pathOptions.has(args[index - 1] ?? '')) return resolve(cwd, word)
    const [option = '', ...value] = word.split('=')
    return value.length > 0 && option.startsWith('--') && pathOptions.has(option)
      ? `${option}=${resolve(cwd, value.join('='))}`
      : word
  })
}

function notReadOnly(verb: string): ConvergeError {
  return unsuitable(`\`${verb}\` is not one of the commands that can be scheduled.`)
}

function unsuitable(why: string): ConvergeError {
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: 'This command cannot be scheduled. Nothing was written.',
    why,
    next: [
      `You can schedule: ${Object.keys(suitable).join(', ')}.`,
      converge(['schedule', 'cron', '--every', '1h', '--', 'drift', '--changed']),
    ],
  })
}
