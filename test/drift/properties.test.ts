import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordField } from '../../src/model/action.ts'
import type { DriftDocument, DriftFinding } from '../../src/model/drift.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { arbitraryDrift } from '../support/arbitrary-scenario.ts'
import { compareDrift, type DriftCase, recordedInputOf } from '../support/drift-case.ts'
import { soundKey } from '../support/scenario.ts'

/** A counterexample is shown as the short case that it came from. */
function always(holds: (found: Found) => void, change: (given: DriftCase) => DriftCase = (same) => same): void {
  fc.assert(
    fc.property(arbitraryDrift, (given) => {
      const input = recordedInputOf(change(given))
      holds({ input, document: compareDrift(input) })
    }),
    { numRuns: 100 },
  )
}

interface Found {
  readonly input: PlanInput
  readonly document: DriftDocument
}

// Each looks at a hundred hosts, and the machine may be busy.
describe('for any host, inventory and record', { timeout: 120_000 }, () => {
  test('a service has a finding when, and only when, something is planned for it', () => {
    let total = 0
    always(({ input, document }) => {
      const [plan] = planFleet(input).hosts
      const [drift] = document.hosts
      const uncompared = new Set(drift?.not_compared.map(({ service }) => service))
      const names = input.fleet.hosts
        .flatMap(({ services }) => services.map(({ name }) => name))
        .filter((name) => !uncompared.has(name))
      const planned = [...(plan?.actions ?? []), ...(plan?.held_back ?? [])].filter(
        // A record that is to be written is no finding: it is what is compared with.
        ({ kind, changes }) => kind !== 'noop' && (changes.length === 0 || changes.some(({ field }) => field !== recordField)),
      )
      const found = new Set(
        drift?.findings
          .filter(({ field }) => field !== recordField && !field.startsWith('listener.'))
          .map(({ service }) => service),
      )
      expect(names.filter((name) => found.has(name))).toEqual(names.filter((name) => planned.some((one) => one.service === name)))
      total += found.size
    })
    expect(total).toBeGreaterThan(50)
  })

  test('the class of a finding follows from its three values, no key is in any, and the same is found again', () => {
    const seen = new Set<string>()
    always(({ document, input }) => {
      expect(JSON.stringify(document)).not.toContain(soundKey)
      expect(compareDrift({ ...input, now: '2027-01-01T00:00:00.000Z' }).digest).toBe(document.digest)
      const all = document.hosts.flatMap(({ findings }) => findings)
      for (const one of all) seen.add(one.class)
      expect(all.filter((one) => !fits(one))).toEqual([])
    })
    expect([...seen].toSorted()).toEqual(['both', 'drift', 'foreign', 'pending'])
  })

  test('an untouched host has no drift', () => {
    always(
      ({ document }) => {
        const all = document.hosts.flatMap(({ findings }) => findings)
        const touched = all.filter((one) => one.class !== 'pending' && one.class !== 'foreign' && one.field !== 'leftover')
        expect(touched).toEqual([])
      },
      (given) => ({ ...given, recorded: {} }),
    )
  })

  test('an unchanged inventory has nothing pending', () => {
    always(
      ({ document, input }) => {
        const [drift] = document.hosts
        const absent = new Set(
          input.fleet.hosts.flatMap(({ services }) => services.filter(({ state }) => state === 'absent').map(({ name }) => name)),
        )
        const changed = drift?.findings.filter((one) => one.class === 'pending' || one.class === 'both')
        expect(changed?.filter(({ service }) => !absent.has(service))).toEqual([])
      },
      (given) => ({ ...given, recorded: Object.fromEntries(Object.entries(given.services)) }),
    )
  })
})

function fits({ class: name, desired, recorded, actual, note }: DriftFinding): boolean {
  switch (name) {
    case 'drift':
      return desired !== actual && (recorded === desired || note !== undefined)
    case 'pending':
      return desired !== actual && (recorded === actual || recorded === null || note !== undefined)
    case 'both':
      return desired !== actual && recorded !== actual && recorded !== desired
    case 'foreign':
      return actual !== null && recorded === null
    default:
      return false
  }
}
