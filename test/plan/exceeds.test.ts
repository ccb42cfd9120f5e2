import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/model/action.ts'
import type { Plan } from '../../src/model/plan.ts'
import { exceeds } from '../../src/plan/exceeds.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { olderKey } from '../support/fleet-input.ts'
import { planInputOf, type Scenario, type ScenarioFacts } from '../support/scenario.ts'

const coder = { manager: 'systemd', kind: 'A' } as const
const services = { coder: { ...coder, ctxSize: 4096 } }
const asShown = { about: '', services, was: { coder: { ...coder, ctxSize: 2048 } } }

const planOf = (more: Partial<Scenario> = {}): Plan => planFleet(planInputOf({ ...asShown, ...more }))

function updateIn(plan: Plan): Action {
  const found = plan.hosts[0]?.actions.find(({ id }) => id === 'nas/coder/update')
  if (found === undefined) throw new Error('no update is planned')
  return found
}

/** What systemd reports of the unit, changed by a person. */
function unitWith(change: object): ScenarioFacts {
  const facts = planInputOf(asShown).facts.get('nas')
  if (facts === undefined || !('salt' in facts) || !facts.systemd.known) throw new Error('there is no systemd')
  const unit = { ...facts.systemd.value.units['coder.service'], ...change }
  return { over: { systemd: { value: { units: { 'coder.service': unit } } } } }
}

const change = (field: string, to: string | null) => ({ field, from: null, to, effect: 'none' as const })

describe('an action that is more than was shown', () => {
  const shown = updateIn(planOf())

  it.each<[string, Partial<Scenario>, readonly RegExp[]]>([
    ['is not the same one', {}, []],
    ['is not one that finds another value', { was: { coder: { ...coder, ctxSize: 1024 } } }, []],
    [
      'is one that changes another field',
      { was: { coder: { ...coder, ctxSize: 2048, threads: 3 } } },
      [/threads 3 → \(none\) was/],
    ],
    [
      'is one that writes a key that a person replaced',
      { hostKeys: { coder: olderKey } },
      [/^key_file \*\*\* → \*\*\* \(a different key\) was not planned$/, /^running\.key .* was not planned$/],
    ],
    [
      'is one that has it start at boot again',
      { facts: unitWith({ unitFileState: 'disabled' }) },
      [/^starts_at_boot no → yes was not planned$/],
    ],
  ])('%s', (_what, more, sentences) => {
    expect(exceeds(shown, updateIn(planOf(more)))).toEqual(sentences.map((one) => expect.stringMatching(one)))
  })

  it.each<[string, [string, string | null], [string, string | null], boolean]>([
    ['a running server that is to have what was written', ['definition.command.--x', '1'], ['running.command.--x', '1'], true],
    ['another value for it', ['definition.command.--x', '1'], ['running.command.--x', '2'], false],
    ['a definition that is written and not read yet', ['definition.command.--x', '1'], ['definition.loaded', 'new'], true],
    ['one that was not planned', ['key_file', '***'], ['definition.loaded', 'new'], false],
    ['a server that has not the key that was written', ['key_file', '***'], ['running.key', '***'], true],
    ['a key where none was to be written', ['state', 'running'], ['key_file', '***'], false],
    ['what a start brings with it', ['state', 'running'], ['starts_at_boot', 'yes'], true],
    ['another side of it', ['state', 'running'], ['starts_at_boot', 'no'], false],
    ['what a run that was cut off left', ['key_file', '***'], ['leftover', null], true],
    ['a record that is missing', ['key_file', '***'], ['record', 'abc'], true],
    ['a key file that nothing reads', ['definition', 'abc'], ['key_file', null], true],
  ])('is or is not: %s', (_what, before, now, covered) => {
    const found = exceeds({ ...shown, changes: [change(...before)] }, { ...shown, changes: [change(...now)] })
    expect(found).toHaveLength(covered ? 0 : 1)
  })

  it('is a stop for good of what was to be stopped for a while', () => {
    const temporary = { makes_room_for: [], ports: [9996] }
    const stop = { ...shown, interrupts: true, starts: false, changes: [] }
    expect(exceeds({ ...stop, temporary }, { ...stop, temporary })).toEqual([])
    expect(exceeds({ ...stop, temporary }, stop)).toEqual(['it would now leave the server stopped'])
    expect(exceeds({ ...stop, starts: true }, stop)).toEqual(['it would now leave the server stopped'])
  })

  it('is a removal that takes a key file along', () => {
    const remove = { ...shown, kind: 'remove' as const, changes: [change('key_file', null)] }
    expect(exceeds({ ...remove, changes: [] }, remove)).toEqual(['key_file (none) → (none) was not planned'])
  })
})
