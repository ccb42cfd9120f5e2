import { assertNever } from '../errors/assert-never.ts'
import { defined } from '../lib/defined.ts'
import type { PlannedCheck, PlannedStep, PlannedSteps } from '../model/planned-steps.ts'
import { redactedText } from '../model/secret.ts'
import type { Check, Step, StepGroup } from '../model/step.ts'

/** The steps of a group, as plain JSON without secrets. */
export function plannedSteps({ precheck, steps, postcheck, undo, room, cleanup }: StepGroup): PlannedSteps {
  return {
    checks: precheck.map(plannedCheck),
    steps: steps.map(plannedStep),
    proof: postcheck.map(plannedCheck),
    undo: undo.map(plannedStep),
    ...defined({ room: room?.map(plannedCheck), cleanup: cleanup?.map(plannedStep) }),
  }
}

function plannedCheck({ label, script, args }: Check): PlannedCheck {
  return { label, script, args }
}

function plannedStep(step: Step): PlannedStep {
  const { label } = step
  const guards = step.guards.map(plannedCheck)
  switch (step.do) {
    case 'run':
      return { do: 'run', label, guards, script: step.script, args: step.args, timeout_s: step.timeoutMs / 1000 }
    case 'put': {
      const { path, owner, validate, replaces, rehearsal } = step
      const file = { path, mode: octal(step.mode), folder_mode: octal(step.folderMode), content: redactedText(step.content) }
      return { do: 'put', label, guards, ...file, ...defined({ owner, validate, replaces, rehearsal }) }
    }
    case 'delete':
      return { do: 'delete', label, guards, path: step.path }
    case 'wait':
      return { do: 'wait', label, guards, until: plannedCheck(step.until), timeout_s: step.timeoutMs / 1000 }
    default:
      return assertNever(step)
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
