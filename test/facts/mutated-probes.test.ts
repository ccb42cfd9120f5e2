import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { questionFor } from '../../src/facts/question.ts'
import { readProbe } from '../../src/facts/read-probe.ts'
import { soundFacts } from '../../src/facts/sound-facts.ts'
import { validateHostFacts } from '../../src/generated/facts-validator.js'
import { loadInventory } from '../../src/load/load.ts'
import { managers } from '../../src/managers/index.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Fleet, Host } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { renderFacts } from '../../src/report/facts-text.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderPlan } from '../../src/report/plan-text.ts'
import { arbitraryMutations, type Mutation, mutate } from '../support/mutate-probe.ts'
import { rememberDefinitions } from '../support/remember-managers.ts'
import { casesOf, seed as given } from '../support/series.ts'
import { type Answer, falseFacts } from './false-facts.ts'

/** So many answers are damaged; the same seed damages them in the same way. */
const outputs = casesOf({ short: 1000, long: 100_000 })
const seed = given ?? 1

/** On a busy machine. */
const timeout = 60_000 + outputs * 50

// Most answers are of the same few definitions.
rememberDefinitions()

const folder = 'test/fixtures/probe'
const { fleet } = await loadInventory(`${folder}/fleet.yaml`)
const probe = { nonce: '@@' }

interface Whole extends Answer {
  readonly host: Host
  readonly facts: HostFacts
}

const wholes = fleet.hosts.map((host): Whole => {
  const text = readFileSync(`${folder}/${host.name}.txt`, 'utf8')
  return { host, text, facts: factsIn(text, host, false) }
})

function factsIn(stdout: string, host: Host, timedOut: boolean): HostFacts {
  const question = questionFor(host, fleet, managers, '5a17')
  const read = readProbe({ stdout, stderr: '', timedOut }, probe, question)
  return soundFacts(
    { host: host.name, gatheredAt: '2026-11-23T07:20:00.000Z', salt: '5a17', ...read, http: {} },
    validateHostFacts,
  )
}

/** All that is made of facts before anything is done. */
function use(facts: HostFacts, host: Host): void {
  const alone: Fleet = { ...fleet, hosts: [host] }
  const plan = planFleet({
    fleet: alone,
    facts: new Map([[host.name, facts]]),
    keys: new Map(host.services.map(({ name }) => [`${host.name}/${name}`, known(new Secret('a-sound-key-of-letters', 'test'))])),
    selection: { hosts: [host.name], services: ['*'] },
    approvals: [],
    now: '2026-11-23T07:20:00.000Z',
  })
  expect(plan.hosts[0]?.problem).toBeUndefined()
  renderPlan(plan, { paint: noPaint, verbose: true, steps: true })
  renderFacts(facts, noPaint)
  overviewOfPlan(plan, { version: '0', issues: [], whereabouts: () => undefined })
}

it('the answers are complete before they are damaged, and each section has facts', () => {
  for (const { facts, host } of wholes) {
    const unseen = Object.entries(facts).flatMap(([field, fact]) => (fact?.known === false ? [field] : []))
    expect(unseen).toEqual(host.platform === 'macos' ? [] : ['power', 'rotatedLogs', 'launchd', 'daemons'])
    use(facts, host)
  }
})

it(`of ${outputs} damaged answers none throws anything but a ConvergeError, and none yields a false fact`, { timeout }, () => {
  const tally = { outputs, 'not read at all': 0, 'facts that stayed known': 0, throws: 0, 'false facts': 0 }
  const faults: string[] = []
  const cases = fc.sample(fc.tuple(fc.constantFrom(...wholes), arbitraryMutations, fc.boolean()), { numRuns: outputs, seed })
  for (const [whole, mutations, timedOut] of cases) {
    const text = mutations.reduce(mutate, whole.text)
    const say = (what: string) => faults.push(`${whole.host.name} ${words(mutations)}: ${what}`)
    try {
      const facts = factsIn(text, whole.host, timedOut)
      tally['facts that stayed known'] += Object.values(facts).filter((fact) => fact?.known === true).length
      const found = [...falseFacts(whole, { text, facts }), ...(validateHostFacts(facts) ? [] : ['it is not as its schema says'])]
      tally['false facts'] += found.length
      found.forEach(say)
      use(facts, whole.host)
    } catch (error) {
      if (error instanceof ConvergeError) tally['not read at all']++
      else {
        tally.throws++
        say(error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error))
      }
    }
  }
  const counts = Object.entries(tally).map(([what, count]) => `${what}: ${count}`)
  process.stdout.write(`damaged answers of hosts (seed ${seed}): ${counts.join(', ')}\n`)
  expect(faults.slice(0, 20)).toEqual([])
})

function words(mutations: readonly Mutation[]): string {
  return JSON.stringify(mutations)
}
