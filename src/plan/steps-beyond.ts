import { stableJson } from '../lib/stable-json.ts'
import type { PlannedStep, PlannedSteps } from '../model/planned-steps.ts'

/**
 * The steps that an action would now send beyond those shown, and the checks and rollback steps that are now missing, as sentences. Empty: the
 * same steps in the same order, or fewer. Guards and checks before the first step describe the current host, so they are not compared.
 *
 * @param now the same action in a new plan
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

/** Final checks and rollback steps that were shown and are now missing although steps are sent. */
function withoutSafety(shown: PlannedSteps | undefined, { steps, undo, proof, room = [] }: PlannedSteps): readonly string[] {
  if (shown === undefined || steps.length === 0) return []
  const kept = new Set([...undo.map(effectOf), ...[...proof, ...room].map((check) => stableJson(check))])
  const lost = [
    ...shown.undo.filter((step) => !kept.has(effectOf(step))),
    ...[...shown.proof, ...(shown.room ?? [])].filter((check) => !kept.has(stableJson(check))),
  ]
  return lost.map(({ label }) => `"${label}" was shown and is now missing`)
}

function beyond(shown: readonly PlannedStep[], now: readonly PlannedStep[]): readonly string[] {
  const rest = shown.map(effectOf)
  return now.flatMap((step) => {
    const at = rest.indexOf(effectOf(step))
    if (at < 0) return [`the step "${step.label}" was not shown`]
    rest.splice(0, at + 1)
    return []
  })
}

function effectOf(step: PlannedStep): string {
  const { label: _label, guards: _guards, ...rest } = step
  return stableJson(rest)
}
