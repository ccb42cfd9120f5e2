import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HostFacts } from '../../src/model/facts.ts'
import type { HostPlan } from '../../src/model/plan.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { arbitraryScenario } from '../support/arbitrary-scenario.ts'
import { executed } from '../support/executed.ts'
import { planInputOf, soundKey } from '../support/scenario.ts'
import { brokenPrefixes } from './broken-prefixes.ts'

/** A counterexample is shown as the short scenario that it came from. */
function always(holds: (input: PlanInput) => void, numRuns = 100): void {
  fc.assert(
    fc.property(arbitraryScenario, (scenario) => {
      holds(planInputOf(scenario))
    }),
    { numRuns },
  )
}

describe('for any host and any wish', () => {
  test('no prefix of the plan breaks a safety rule', () => {
    always((input) => expect(brokenPrefixes(input, only(input))).toEqual([]), 400)
  })

  test('the same input gives the same plan', () => {
    always((input) => expect(planFleet(input).digest).toBe(planFleet(input).digest), 50)
  })

  test('what was done is not planned again', () => {
    always((input) => {
      const first = only(input)
      const finished = finishedServices(first)
      const second = only(afterDoing(input, first))
      expect(second.actions.filter((action) => action.kind !== 'noop' && finished.has(action.service))).toEqual([])
    }, 300)
  })

  test('every action is done, held back or not needed, and what is held back is named by a refusal', () => {
    always((input) => {
      const { actions, held_back = [], refusals } = only(input)
      const named = new Set(refusals.flatMap((refusal) => refusal.actions))
      expect(held_back.filter((action) => !named.has(action.id))).toEqual([])
      expect(actions.filter((action) => named.has(action.id))).toEqual([])
      const told = new Set([...actions, ...held_back, ...refusals].map((one) => one.service))
      expect(input.fleet.hosts.flatMap((host) => host.services).filter((service) => !told.has(service.name))).toEqual([])
    })
  })

  test('a refused action takes only its own service along, or a stop that would only make room for it', () => {
    always((input) => {
      const strangers = only(input).refusals.flatMap((refusal) =>
        refusal.actions.filter((id) => id.split('/')[1] !== refusal.service && !/\/(stop|remove|install|update)$/.test(id)),
      )
      expect(strangers).toEqual([])
    })
  })

  test('what is wanted stopped or absent is not running after the plan, unless it ran before', () => {
    always((input) => {
      const wanted = input.fleet.hosts.flatMap((host) => host.services).filter((service) => service.state === 'running')
      const names = new Set(wanted.map((service) => service.name))
      const all = only(input)
      expect([...all.actions, ...(all.held_back ?? [])].filter((one) => one.starts && !names.has(one.service))).toEqual([])
    }, 300)
  })

  test('a consent changes only what it names', () => {
    always((input) => {
      const without = only({ ...input, consents: [] })
      const withLeave = only(input)
      // What is done by leave may take the port that a stop was to free for somebody who is refused: then that stop waits with him.
      const waiting = withLeave.refusals.flatMap((refusal) => refusal.actions).filter((id) => /\/(stop|remove)$/.test(id))
      expect([...idsOf(withLeave), ...waiting]).toEqual(expect.arrayContaining([...idsOf(without)]))
      const codes = new Set(input.consents.map((consent) => consent.code))
      expect(withLeave.consented.filter((refusal) => !codes.has(refusal.code) || !refusal.consentable)).toEqual([])
      expect(idsOf(withLeave)).toEqual(withLeave.consented.length === 0 ? idsOf(without) : idsOf(withLeave))
    }, 300)
  })

  test('no key is ever in a plan', () => {
    always((input) => expect(JSON.stringify(planFleet(input))).not.toContain(soundKey))
  })
})

function only(input: PlanInput): HostPlan {
  const [host] = planFleet(input).hosts
  if (host === undefined) throw new Error('a scenario has one host')
  return host
}

function idsOf(plan: HostPlan): readonly string[] {
  return plan.actions.filter((action) => action.kind !== 'noop').map((action) => action.id)
}

/** Services of which nothing was held back or left undecided. */
function finishedServices({ actions, held_back = [], refusals }: HostPlan): ReadonlySet<string> {
  const open = new Set([...held_back, ...refusals].map((one) => one.service))
  return new Set(actions.map((action) => action.service).filter((service) => !open.has(service)))
}

function afterDoing(input: PlanInput, { actions }: HostPlan): PlanInput {
  const facts = new Map(
    [...input.facts].flatMap(([host, seen]): [string, HostFacts][] =>
      'salt' in seen
        ? [[host, actions.filter((one) => one.kind !== 'noop').reduce((now, action) => executed(now, action, input), seen)]]
        : [],
    ),
  )
  return { ...input, facts }
}
