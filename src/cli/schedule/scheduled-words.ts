import { resolve } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { OutputFlags } from '../../run/deliver.ts'
import { NotScheduled } from '../../run/schedule/not-scheduled.ts'
import type { Verb } from '../verb.ts'

/** What is to be run, as the verb itself understands it. */
export interface ScheduledWords {
  readonly verb: string
  /** As they were given, but for paths of inventory and ssh config, which are absolute. */
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Where results are to be written. */
  readonly output: OutputFlags & { readonly out?: string | undefined }
}

/**
 * The verbs that only look, and that say something about the fleet: there is no way from here to any other. Of `fetch`, which interrupts no
 * server, there is what it takes, and no way to what it does.
 */
const suitable: Readonly<Record<string, () => Promise<{ readonly verb: Pick<Verb, 'configure'> }>>> = {
  drift: () => import('../verbs/drift.ts'),
  fetch: () => import('./scheduled-fetch.ts'),
  plan: () => import('../verbs/plan.ts'),
  status: () => import('../verbs/status.ts'),
  verify: () => import('../verbs/verify.ts'),
}

/** Beside what was given. A download is left to its host: there is nobody to see how far it is. */
const added: Readonly<Record<string, readonly string[]>> = { fetch: ['--detach'] }

/**
 * Reads what stands behind `--` with the verb's own options, so that what it would refuse each time is refused now.
 *
 * @throws ConvergeError `USAGE.SCHEDULE`
 */
export async function readScheduledWords(words: readonly string[], cwd: string): Promise<ScheduledWords> {
  const [verb, ...args] = words
  if (verb === undefined) throw unsuitable('Behind `--` there is no verb.')
  const load = Object.hasOwn(suitable, verb) ? suitable[verb] : undefined
  if (load === undefined) throw notReadOnly(verb)
  const options = optionsOf(verb, args, (await load()).verb)
  const more = (added[verb] ?? []).filter((word) => !args.includes(word))
  return { verb, args: [...more, ...absolutePaths(args, cwd)], options, output: options }
}

function optionsOf(name: string, args: readonly string[], verb: Pick<Verb, 'configure'>): Readonly<Record<string, unknown>> {
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
  return command.opts()
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
  return unsuitable(
    `\`${verb}\` is not a verb that only looks at hosts, or fetches models onto them. What changes them belongs before the eyes of somebody who reads what is planned and what is refused; a scheduled one would do it while nobody looks.`,
  )
}

function unsuitable(why: string): ConvergeError {
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: 'This command cannot be scheduled. Nothing was written.',
    why,
    next: [
      `The verbs that can are: ${Object.keys(suitable).join(', ')}.`,
      converge(['schedule', 'cron', '--every', '1h', '--', 'drift', '--changed']),
    ],
  })
}
