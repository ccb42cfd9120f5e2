import { assertNever } from '../errors/assert-never.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { Bookkeeping } from '../model/bookkeeping.ts'
import type { PlannedCheck, PlannedPut, PlannedStep, PlannedSteps } from '../model/planned-steps.ts'
import { commandLines } from './command-text.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'

/** What an action sends, in the order in which it is sent: steps with their numbers, checks as the sentences that have to hold. */
export function renderSteps({ checks, steps, proof, undo, room, cleanup }: PlannedSteps, paint: Paint): string {
  return [
    ...renderChecks('before', checks, paint),
    ...steps.flatMap((step, index) => renderStep(`${index + 1}.`, step, paint)),
    ...renderChecks('after', proof, paint),
    ...renderBranch('if it fails', undo, paint),
    ...renderChecks('if it fails later', room ?? [], paint),
    ...renderBranch('once it works', cleanup ?? [], paint),
  ].join('\n')
}

/** What is done on a host beside the steps of its actions, one line each. */
export function renderBookkeeping(all: readonly Bookkeeping[], paint: Paint): string {
  const lines = all.map(({ label, path }) => `  ${label}  ${paint(['dim'], path)}`)
  return [paint(['cyan'], 'around these steps'), ...lines].join('\n')
}

function renderBranch(title: string, steps: readonly PlannedStep[], paint: Paint): readonly string[] {
  if (steps.length === 0) return []
  const rows = steps.flatMap((step, index) => renderStep(`${index + 1}.`, step, paint))
  return [paint(['cyan'], title), ...rows.map((row) => indent(row))]
}

function renderChecks(title: string, checks: readonly PlannedCheck[], paint: Paint): readonly string[] {
  if (checks.length === 0) return []
  return [paint(['cyan'], `check ${title}`), ...checks.map(({ label }) => `  ? ${paint.hang}${label}`)]
}

function renderStep(number: string, step: PlannedStep, paint: Paint): readonly string[] {
  const body = bodyOf(step).map((line) => paint.whole(paint(['dim'], `   | ${line}`)))
  return [
    `${number} ${paint.hang}${step.label}${aboutFile(step)}`,
    ...step.guards.map(({ label }) => `   ? ${paint.hang}${label}`),
    ...body,
  ]
}

function aboutFile(step: PlannedStep): string {
  if (step.do !== 'put') return ''
  const lines = step.content.replace(/\n$/, '').split('\n').length
  return `  (${[step.mode, ...(step.owner === undefined ? [] : [step.owner]), lines === 1 ? '1 line' : `${lines} lines`].join(', ')})`
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

/** `$1` is the file that was written beside its place, whose name nobody knows yet. */
function validationLines({ script, args }: NonNullable<PlannedPut['validate']>): readonly string[] {
  return [...script.trim().split('\n'), ['with (the new file)', ...(args.length === 0 ? [] : [shellQuote(args)])].join(' ')]
}
