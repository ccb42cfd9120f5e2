import { realpath } from 'node:fs/promises'
import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { hostItself } from '../../model/action.ts'
import type { NotificationResult } from '../../model/notification.ts'
import { createSender, sendNotification } from '../../run/notification-sender.ts'
import { about } from '../../run/notify-changes.ts'
import { openFleet, type SelectionFlags } from '../../run/open-fleet.ts'
import { newRun } from '../../state/run-identity.ts'
import { offering } from '../offered-values.ts'
import { groups } from '../option-groups.ts'
import { wholeNumber, withInventory } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge notify test`: sends a test notification. No host is contacted. */
export const verb: Verb = {
  configure(command, finish) {
    withInventory(withTest(command))
      .argument('[entry]', 'only this entry of fleet.notify (the first is 1)', wholeNumber)
      .optionsGroup(groups.output)
      .option('--no-color', 'disable colours (as does NO_COLOR)')
      .action((_test, entry, flags) => finish((context) => sendTest(context, flags, entry)))
  },
}

function withTest<O extends OptionValues>(command: Command<[], O>) {
  return command.argument('<test>', 'the word `test`: notify every entry of fleet.notify', onlyTest)
}

const onlyTest = offering(
  (word: string) => {
    if (word !== 'test') throw new InvalidArgumentError('Only `test` is possible.')
    return word
  },
  { values: ['test'] },
)

async function sendTest(context: Context, flags: SelectionFlags, entry: number | undefined): Promise<ExitCode> {
  const open = await openFleet(context, flags)
  const { fleet } = open
  const all = fleet.notify ?? []
  const targets = entry === undefined ? all : all.slice(entry - 1, entry)
  if (targets.length === 0) throw noTarget(all.length)
  const { run_id } = newRun(context)
  const sender = createSender(context, open)
  const notification = {
    ...about(context, { verb: 'notify', run_id }, await realpath(fleet.path)),
    changes: [testChange],
    open: 0,
    test: true,
  }
  const results = await Promise.all(targets.map((target) => sendNotification(sender, target, notification)))
  for (const { target, outcome, detail } of results)
    context.out.writeProse(`${outcome.padEnd(6)}  ${context.out.paint.hang}${target}  ${detail}\n`)
  const failures = results.filter(({ outcome }) => outcome === 'failed')
  if (failures.length > 0) throw notSent(failures)
  return exitCodes.done
}

const testChange = {
  change: 'new',
  event: 'drift',
  host: 'example',
  service: hostItself,
  field: 'test',
  text: 'this is a test by converge; no host was observed',
} as const

function noTarget(count: number): ConvergeError {
  return new ConvergeError('NOTIFY.NOBODY', {
    summary: 'The inventory has no notification targets.',
    why: count === 0 ? 'The inventory has no `fleet.notify`.' : `\`fleet.notify\` has ${count} entries; this one does not exist.`,
    next: ['Name a target in group_vars/all.yaml:  fleet: { notify: [{ webhook: { env: SLACK_URL }, format: slack }] }'],
  })
}

function notSent(failures: readonly NotificationResult[]): ConvergeError {
  return new ConvergeError('NOTIFY.FAILED', {
    summary: 'A notification could not be sent.',
    why: failures.map(({ target, detail }) => `${target}: ${detail}.`).join(' '),
    next: [converge(['notify', 'test'], { say: 'Correct what it names, then:' })],
  })
}
