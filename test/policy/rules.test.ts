import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Refusal } from '../../src/model/refusal.ts'
import { placeOfKey } from '../../src/model/source.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { rules } from '../../src/policy/index.ts'
import { judgeInventory } from '../../src/policy/judge-inventory.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario, soundKey } from '../support/scenario.ts'

/**
 * Every rule is tried by data: `test/fixtures/policy/<CODE>/{refuses,allows}-<case>.yaml`. A refusing case names the service it is
 * refused for, an allowing case the actions that are done nevertheless.
 */
interface RuleCase extends Scenario {
  /** Judged by `converge validate`, without a host. */
  readonly validate?: boolean
  readonly expect: {
    /** null: it concerns the host as a whole. */
    readonly service?: string | null
    /** Ids that are done. */
    readonly does?: readonly string[]
    /** Ids that are not. */
    readonly holds?: readonly string[]
    /** Parts of what is said, in the reason or the evidence. */
    readonly says?: readonly string[]
    /** Parts of what is to be done next. */
    readonly advises?: readonly string[]
    /** Parts of what must not be said. */
    readonly hides?: readonly string[]
    readonly consentable?: boolean
    /** The key that it points at: `port`, `model.path`, `extra_args.2`, `nas: platform`; null: none. */
    readonly at?: string | null
  }
}

const cases = caseFiles('policy', '*/*.yaml').map(({ file, text }) => {
  const scenario: RuleCase = parse(text)
  return { file, code: dirname(file), scenario }
})
const refusing = cases.filter(({ file }) => basename(file).startsWith('refuses-'))
const allowing = cases.filter(({ file }) => basename(file).startsWith('allows-'))

test.each(rules.map((rule) => rule.code))('%s has at least two cases of both kinds', (code) => {
  expect(refusing.filter((one) => one.code === code).length).toBeGreaterThanOrEqual(2)
  expect(allowing.filter((one) => one.code === code).length).toBeGreaterThanOrEqual(2)
})

test('no case is left out', () => {
  expect(cases.length).toBe(refusing.length + allowing.length)
  expect(cases.map((one) => one.code).filter((code) => !rules.some((rule) => rule.code === code))).toEqual([])
})

test.each(rules.map((rule) => [rule.code, rule] as const))('%s explains itself in full sentences', (_code, rule) => {
  expect(rule.title).toMatch(/^[A-Z].*\.$/)
  expect(rule.explain).toMatch(/^[A-Z`].{80,}\.$/s)
  expect(rule.severity === 'warn' && rule.consentable).toBe(false)
})

test.each(refusing)('$file: $scenario.about', ({ code, scenario }) => {
  const { service, says = [], advises = [], hides = [], consentable, at } = scenario.expect
  const { found, does } = judged(scenario, code)
  const own = found.filter((one) => (one.service ?? null) === service)
  const text = own.map((one) => [one.why, ...one.evidence].join('\n')).join('\n')
  expect(own.length).toBeGreaterThan(0)
  for (const part of says) expect(text).toContain(part)
  for (const part of advises) expect(own.flatMap((one) => one.next).join('\n')).toContain(part)
  for (const part of [...hides, soundKey]) expect(JSON.stringify(own)).not.toContain(part)
  for (const one of own) expect(one.next.length).toBeGreaterThan(0)
  const places = new Set(own.map((one) => keyAt(scenario, one)))
  expect(places).toEqual(at === undefined ? places : new Set([at]))
  expect(own.map((one) => one.consentable)).toEqual(own.map((one) => consentable ?? one.consentable))
  expectDone(scenario, does)
})

test.each(allowing)('$file: $scenario.about', ({ code, scenario }) => {
  const { found, does } = judged(scenario, code)
  expect(found).toEqual([])
  expectDone(scenario, does)
})

/** Which key stands at the place that a refusal points at. */
function keyAt(scenario: RuleCase, { at }: Refusal): string | null {
  if (at === undefined) return null
  const [host] = planInputOf(scenario).fleet.hosts
  if (host === undefined) throw new Error('a scenario has one host')
  const named = [
    ...Object.entries(host.source.keys).map(([key, place]) => [`${host.name}: ${key}`, place] as const),
    [host.name, placeOfKey(host.source, [])] as const,
    ...host.services.flatMap(({ name, source }) => [...Object.entries(source.keys), [name, placeOfKey(source, [])] as const]),
  ]
  return named.find(([, place]) => isDeepStrictEqual(place, at))?.[0] ?? 'elsewhere'
}

function expectDone({ expect: { does = [], holds = [] } }: RuleCase, done: readonly string[]): void {
  expect(done).toEqual(expect.arrayContaining([...does]))
  expect(done.filter((id) => holds.includes(id))).toEqual([])
}

interface Judged {
  readonly found: readonly Refusal[]
  readonly does: readonly string[]
}

function judged(scenario: RuleCase, code: string): Judged {
  const input = planInputOf(scenario)
  if (scenario.validate === true) {
    const found = judgeInventory(input.fleet).flatMap((host) => [...host.refusals, ...host.warnings])
    return { found: found.filter((one) => one.code === code), does: [] }
  }
  const { hosts } = planFleet(input)
  const found = hosts.flatMap((host) => [...host.refusals, ...host.warnings])
  return {
    found: found.filter((one) => one.code === code),
    does: hosts.flatMap((host) => host.actions.map((action) => action.id)),
  }
}
