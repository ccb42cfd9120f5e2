import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { settledActions } from '../../src/journal/settled-actions.ts'
import type { Action, ActionKind } from '../../src/model/action.ts'
import type { JournalEntry } from '../../src/model/journal.ts'
import { actionOf } from '../apply/actions.ts'

interface Case {
  readonly name: string
  readonly plan: readonly string[]
  readonly events: readonly JournalEntry[]
  readonly settled: readonly string[]
}

const cases: readonly Case[] = parse(readFileSync(new URL('../fixtures/journal/settled-actions.yaml', import.meta.url), 'utf8'))

function action(words: string): Action {
  const [service = '', kind = ''] = words.replace('!', '').split('/')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the cases
  return { ...actionOf('nas', service, kind as ActionKind), starts: words.endsWith('!') }
}

describe('of a run is settled', () => {
  it.each(cases)('$name', ({ plan, events, settled }) => {
    expect(settledActions(plan.map(action), events)).toEqual(settled.map((id) => `nas/${id}`))
  })
})
