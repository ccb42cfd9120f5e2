import type { Plan } from '../model/plan.ts'
import { noPaint } from './paint.ts'
import { renderBookkeeping, renderSteps } from './steps-text.ts'

/** What a plan sends, as text: by the id of each action, and by host what is sent around its actions. */
export function stepsOfPlan({ hosts }: Plan): Readonly<Record<string, string>> {
  const all = hosts.flatMap(({ host, actions, bookkeeping }) => {
    const text = { paint: noPaint, shown: new Set<string>() }
    const sent = actions.flatMap(({ id, steps }) => (steps === undefined ? [] : [[id, renderSteps(steps, text)] as const]))
    return [...sent, ...(bookkeeping === undefined ? [] : [[host, renderBookkeeping(bookkeeping, noPaint)] as const])]
  })
  return Object.fromEntries(all)
}
