import { assertNever } from '../../src/errors/assert-never.ts'
import type { Check, Step, StepGroup } from '../../src/model/step.ts'

/** A group as a person would go through it; the scripts themselves stand in `scripts.expected`, once each. */
export function stepsText(group: StepGroup): string {
  return [
    ...section('before', group.precheck.flatMap(checkLines)),
    ...section('steps', group.steps.flatMap(stepLines)),
    ...section('after', group.postcheck.flatMap(checkLines)),
    ...(group.room === undefined
      ? []
      : section('before the rollback, where others were at work', group.room.flatMap(checkLines))),
    ...section('rollback', group.undo.flatMap(stepLines)),
    ...section('tidied up', (group.cleanup ?? []).flatMap(stepLines)),
    '',
  ].join('\n')
}

/** Every script of a group by the label it goes with. */
export function scriptsOf(group: StepGroup): readonly (readonly [label: string, script: string])[] {
  const steps = [...group.steps, ...group.undo, ...(group.cleanup ?? [])]
  const checks = [...group.precheck, ...group.postcheck, ...(group.room ?? []), ...steps.flatMap(({ guards }) => guards)]
  return [...checks.map(({ label, script }) => [label, script] as const), ...steps.flatMap(ownScripts)]
}

function ownScripts(step: Step): readonly (readonly [string, string])[] {
  if (step.do === 'run') return [[step.label, step.script]]
  if (step.do === 'wait') return [[step.label, step.until.script]]
  return step.do === 'put' && step.validate !== undefined ? [[`is it valid: ${step.label}`, step.validate.script]] : []
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`${title}:`, ...(lines.length === 0 ? ['  -'] : lines)]
}

function checkLines({ label, args }: Check): readonly string[] {
  return [`  ? ${label}`, ...argumentLine(args)]
}

function stepLines(step: Step): readonly string[] {
  const guards = step.guards.map(({ label }) => `      only if ${label}`)
  switch (step.do) {
    case 'run':
      return [
        `  ! ${step.label} (${step.timeoutMs / 1000} s${step.server === true ? ', touches the server' : ''})`,
        ...argumentLine(step.args),
        ...guards,
      ]
    case 'put': {
      const how = `${step.mode.toString(8)}${step.owner === undefined ? '' : ` ${step.owner}`}, folders ${step.folderMode.toString(8)}`
      const only = step.rehearsal === true ? ', not put in place' : ''
      const instead = step.replaces === undefined ? [] : [`      only in place of ${step.replaces}`]
      return [`  ! ${step.label} (${how}${only})`, ...argumentLine(step.validate?.args ?? []), ...instead, ...guards]
    }
    case 'delete':
    case 'wait':
      return [`  ! ${step.label}`, ...guards]
    default:
      return assertNever(step)
  }
}

function argumentLine(args: readonly string[]): readonly string[] {
  return args.length === 0 ? [] : [`      ${args.map((arg) => (/^[^\s"']+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')}`]
}
