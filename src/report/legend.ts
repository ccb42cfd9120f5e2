import type { ActionKind } from '../model/action.ts'
import type { HostPlan } from '../model/plan.ts'
import { actionSigns } from './action-text.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { settledFirst } from './settled-first.ts'

interface Entry {
  readonly text: string
  readonly style: PaintStyle
  readonly occurs: (host: HostPlan) => boolean
}

const entries: readonly Entry[] = [
  ofAction('adopt'),
  ofAction('install'),
  ofAction('update'),
  ofAction('host-setting'),
  ofAction('start'),
  ofAction('restart'),
  ofAction('stop'),
  ofAction('remove'),
  ofAction('release'),
  ofAction('download'),
  { text: '↺ test or roll back', style: 'yellow', occurs: (host) => settledFirst(host).length > 0 },
  { text: '✗ refused', style: 'red', occurs: ({ refusals }) => refusals.length > 0 },
  { text: '∆ overruled', style: 'yellow', occurs: ({ consented }) => consented.length > 0 },
  { text: '! warning', style: 'yellow', occurs: ({ warnings }) => warnings.length > 0 },
  ofAction('noop', 'ok'),
]

function ofAction(kind: ActionKind, words: string = kind): Entry {
  const { sign, style } = actionSigns[kind]
  return { text: `${sign} ${words}`, style, occurs: ({ actions }) => actions.some((action) => action.kind === kind) }
}

/** The signs that occur in plans of hosts, which are looked at one after another. */
export class Legend {
  readonly #absent = new Set(entries)

  add(host: HostPlan): void {
    for (const entry of this.#absent) if (entry.occurs(host)) this.#absent.delete(entry)
  }

  /** `Legend: + install  > start  ✗ refused`; empty where none occurs. */
  render(paint: Paint): string {
    const occurring = entries.filter((entry) => !this.#absent.has(entry))
    const painted = new Map(occurring.map(({ text, style }) => [text, paint([style], text)]))
    return painted.size === 0 ? '' : `${paint(['dim'], 'Legend:')} ${paint.hang}${[...painted.values()].join('  ')}`
  }
}
