import { assertNever } from '../errors/assert-never.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { shownLine } from '../lib/visible-text.ts'
import type { Bookkeeping } from '../model/bookkeeping.ts'
import type { PlannedCheck, PlannedPut, PlannedStep, PlannedSteps } from '../model/planned-steps.ts'
import { commandLines, withoutShown } from './command-text.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'

/** The signs of steps, above a plan that shows them. */
export const stepsLegend =
  '? a check in the same command   | a line that the shell of the host runs   with: its arguments, $1 first'

/** For the steps of one host: a shell function that several of them use is shown once. */
export interface StepsText {
  readonly paint: Paint
  /** Functions that the text has already. */
  readonly shown: Set<string>
}

/** What an action sends, in its order: numbered steps, and checks as the sentences that must hold. */
export function renderSteps({ checks, steps, proof, undo, room, cleanup }: PlannedSteps, text: StepsText): string {
  const { paint } = text
  return [
    ...renderChecks('check before', checks, paint),
    ...renderBranch('steps', steps, text),
    ...renderChecks('check after', proof, paint),
    ...(undo.length === 0 ? [`${paint(['cyan'], 'if it fails')}  nothing is rolled back`] : []),
    ...renderBranch('if it fails, roll back', undo, text),
    ...renderChecks('check before a later rollback', room ?? [], paint),
    ...renderBranch('once it works', cleanup ?? [], text),
  ].join('\n')
}

/** What converge sends around the steps of a host's actions, one line each. */
export function renderBookkeeping(all: readonly Bookkeeping[], paint: Paint): string {
  const lines = all.flatMap(({ label, path, note }) => [
    `  ${shownLine(label)}  ${paint(['dim'], shownLine(path))}`,
    ...(note === undefined ? [] : [paint(['dim'], `    ${paint.hang}${shownLine(note)}`)]),
  ])
  return [paint(['cyan'], 'around these steps'), ...lines].join('\n')
}

function renderBranch(title: string, steps: readonly PlannedStep[], text: StepsText): readonly string[] {
  if (steps.length === 0) return []
  const rows = steps.flatMap((step, index) => renderStep(`${index + 1}.`, step, text))
  return [text.paint(['cyan'], title), ...rows.map((row) => indent(row))]
}

function renderChecks(title: string, checks: readonly PlannedCheck[], paint: Paint): readonly string[] {
  if (checks.length === 0) return []
  return [paint(['cyan'], title), ...checks.map(({ label }) => `  ? ${paint.hang}${shownLine(label)}`)]
}

function renderStep(number: string, step: PlannedStep, { paint, shown }: StepsText): readonly string[] {
  const body = withoutShown(bodyOf(step), shown).map((line) => paint.whole(paint(['dim'], `   | ${line}`)))
  return [
    `${number} ${paint.hang}${shownLine(step.label)}${aboutFile(step)}${aboutTime(step)}`,
    ...step.guards.map(({ label }) => `   ? ${paint.hang}${shownLine(label)}`),
    ...body,
  ]
}

function aboutFile(step: PlannedStep): string {
  if (step.do !== 'put') return ''
  const lines = step.content.replace(/\n$/, '').split('\n').length
  return `  (${[step.mode, ...(step.owner === undefined ? [] : [step.owner]), lines === 1 ? '1 line' : `${lines} lines`].join(', ')})`
}

/** Shown for a limit of more than a minute, which is the usual one. */
function aboutTime(step: PlannedStep): string {
  return 'timeout_s' in step && step.timeout_s > 60 ? `  (at most ${step.timeout_s} s)` : ''
}

function bodyOf(step: PlannedStep): readonly string[] {
  switch (step.do) {
    case 'run':
      return commandLines(step.script, step.args)
    case 'put':
      return step.validate === undefined ? [] : validationLines(step.validate)
    case 'delete':
      return []
    case 'wait':
      return commandLines(step.until.script, step.until.args)
    default:
      return assertNever(step)
  }
}

/** `$1` is the new file, written beside its place under a name that is chosen at that moment. */
function validationLines({ script, args }: NonNullable<PlannedPut['validate']>): readonly string[] {
  const words = ['with (the new file)', ...(args.length === 0 ? [] : [shellQuote(args)])].join(' ')
  return [...script.trim().split('\n'), ...words.split('\n')]
}
