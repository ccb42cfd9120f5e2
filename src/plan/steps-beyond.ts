import { stableJson } from '../lib/stable-json.ts'
import type { PlannedStep, PlannedSteps } from '../model/planned-steps.ts'

/**
 * What an action would send now beyond the steps that were shown of it, or without the checks and the rollback that were shown, as
 * sentences; empty: those, in their order, or fewer. Guards and checks before the first step are of the host as it is by now, so they are not
 * compared.
 *
 * @param now the same action in a plan that was made just now
 */
export function stepsBeyond(shown: PlannedSteps | undefined, now: PlannedSteps | undefined): readonly string[] {
  const parts = [
    [shown?.steps, now?.steps],
    [shown?.undo, now?.undo],
    [shown?.cleanup, now?.cleanup],
  ] as const
  const more = parts.flatMap(([before = [], after = []]) => beyond(before, after))
  return more.length > 0 || now === undefined ? more : withoutSafety(shown, now)
}

/** Checks after the last step, and steps of the rollback, that were shown and are gone although something is sent. */
function withoutSafety(shown: PlannedSteps | undefined, { steps, undo, proof, room = [] }: PlannedSteps): readonly string[] {
  if (shown === undefined || steps.length === 0) return []
  const kept = new Set([...undo.map(whatItDoes), ...[...proof, ...room].map((check) => stableJson(check))])
  const lost = [
    ...shown.undo.filter((step) => !kept.has(whatItDoes(step))),
    ...[...shown.proof, ...(shown.room ?? [])].filter((check) => !kept.has(stableJson(check))),
  ]
  return lost.map(({ label }) => `"${label}", which was shown, would be left out`)
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
