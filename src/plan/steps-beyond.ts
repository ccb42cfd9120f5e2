import { stableJson } from '../lib/stable-json.ts'
import type { PlannedStep, PlannedSteps } from '../model/planned-steps.ts'

/**
 * What an action would send now beyond the steps that were shown of it, as sentences; empty: those, in their order, or fewer.
 * Guards may differ: they only keep a step from being done.
 *
 * @param now the same action in a plan that was made just now
 */
export function stepsBeyond(shown: PlannedSteps | undefined, now: PlannedSteps | undefined): readonly string[] {
  const parts = [
    [shown?.steps, now?.steps],
    [shown?.undo, now?.undo],
    [shown?.cleanup, now?.cleanup],
  ] as const
  return parts.flatMap(([before = [], after = []]) => beyond(before, after))
}

function beyond(shown: readonly PlannedStep[], now: readonly PlannedStep[]): readonly string[] {
  const rest = shown.map(whatItDoes)
  return now.flatMap((step) => {
    const at = rest.indexOf(whatItDoes(step))
    if (at < 0) return [`the step "${step.label}" is not in the plan that was shown`]
    rest.splice(0, at + 1)
    return []
  })
}

function whatItDoes(step: PlannedStep): string {
  const { label: _label, guards: _guards, ...rest } = step
  return stableJson(rest)
}
