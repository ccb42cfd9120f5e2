import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { questionFor } from '../../src/facts/question.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { managers } from '../../src/managers/index.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { FactsFile } from '../../src/model/facts-file.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import type { Plan } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import { withoutUnasked } from '../../src/plan/facts-snapshot/not-asked.ts'
import { restoreFacts } from '../../src/plan/facts-snapshot/restore-facts.ts'
import { askedThen, takeSnapshot, withFileDigest } from '../../src/plan/facts-snapshot/take-snapshot.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { arbitraryDrift } from '../support/arbitrary-scenario.ts'
import { aFleet, aHost, aService, someFacts } from '../support/build.ts'
import { compareDrift, recordedInputOf } from '../support/drift-case.ts'
import { withApplied } from '../support/simulated-host.ts'

const remedy = 'Ask it again.'

/** As it comes out of its file. */
function kept({ fleet, keys }: Pick<PlanInput, 'fleet' | 'keys'>, host: Host, facts: HostFacts): FactsFile {
  const question = questionFor(host, fleet, managers, facts.salt)
  const file = withFileDigest(takeSnapshot({ fleet, host, question, facts, keys, tool: '1.0.0', pepper: 'p3pper' }))
  return JSON.parse(JSON.stringify(file))
}

/** The host answered all that it was asked, as hosts do. */
function asked(input: PlanInput): PlanInput {
  return withFacts(input, (facts, host) => {
    const question = questionFor(host, input.fleet, managers, facts.salt)
    return withoutUnasked(input.fleet, host, { asked: askedThen(question), facts, remedy })
  })
}

function withFacts(input: PlanInput, change: (facts: HostFacts, host: Host) => HostFacts): PlanInput {
  const facts = input.fleet.hosts.map((host) => {
    const seen = input.facts.get(host.name)
    return [host.name, seen !== undefined && 'salt' in seen ? change(seen, host) : seen] as const
  })
  return { ...input, facts: new Map(facts.flatMap(([name, seen]) => (seen === undefined ? [] : [[name, seen]]))) }
}

/** Without digests, which are left out for definitions with a key. */
function decided(document: Plan | ReturnType<typeof compareDrift>): string {
  const digest = /^[0-9a-f]{64}$/
  const withoutDigests = (name: string, value: unknown) => {
    if (name === 'definition_digest') return undefined
    // Steps ask for the digest that the plan relies on.
    return name === 'args' && Array.isArray(value) ? value.map((one) => (digest.test(String(one)) ? 'digest' : one)) : value
  }
  return JSON.stringify(document.hosts, withoutDigests, 1).replaceAll(/(sha256|SHA-256) [0-9a-f]{12}/g, 'digest')
}

describe('a facts snapshot', () => {
  it('decide what the facts themselves decide, for any host and inventory', () => {
    fc.assert(
      fc.property(arbitraryDrift, (scenario) => {
        const input = asked(recordedInputOf(scenario))
        const recalled = withFacts(input, (facts, host) => restoreFacts(kept(input, host, facts), { ...input, host, remedy }))
        expect(decided(planFleet(recalled))).toBe(decided(planFleet(input)))
        expect(decided(compareDrift(recalled))).toBe(decided(compareDrift(input)))
      }),
      { numRuns: 80 },
    )
  })
})

const key = new Secret('sh0rt', 'env CODER_KEY')
const other = new Secret('0ther', 'env CODER_KEY')

function problem(given: Partial<Service> = {}, held = key) {
  const host = aHost({ services: [aService({ ...given })] })
  const [service = aService()] = host.services
  const fleet = aFleet({ hosts: [host] })
  const facts = withApplied(someFacts(host), { fleet, service, key: held, running: true })
  return { fleet, host, facts, keys: new Map([[`nas/${service.name}`, known(key)]]) }
}

describe('what is kept', () => {
  const kinds: readonly (readonly [string, Partial<Service>])[] = [
    ['in a file, container', {}],
    ['inline, container', { keyDelivery: 'inline' }],
    ['in a file, unit', { kind: 'B', manager: 'systemd' }],
    ['inline, unit', { kind: 'B', manager: 'systemd', keyDelivery: 'inline' }],
  ]

  it.each(kinds)('holds no digest of a key: %s', (_, given) => {
    const { fleet, host, facts, keys } = problem(given)
    const digests = JSON.stringify([facts.keyFiles, facts.residents]).match(/[0-9a-f]{64}/g) ?? []
    const keyed = Object.values(facts.definitions).flatMap((one) =>
      one.known && one.value?.content.includes('***') === true ? [one.value.digest] : [],
    )
    const text = JSON.stringify(kept({ fleet, keys }, host, facts))
    expect([...digests, ...keyed].length).toBeGreaterThan(0)
    for (const digest of [...digests, ...keyed, sha256('sh0rt'), sha256(`${facts.salt}sh0rt`), 'sh0rt'])
      expect(text).not.toContain(digest)
    expect(text).toContain('"salt":"concealed"')
  })

  it('leaves out the environment of foreign processes', () => {
    const { fleet, host, facts, keys } = problem({ kind: 'B', manager: 'systemd' })
    const foreign = {
      pid: 7,
      ppid: 1,
      start: '7',
      user: 'op',
      command: 'serve',
      argv: ['serve'],
      rssBytes: 1,
      role: 'B',
      program: 'serve',
    } as const
    const residents = known([{ ...foreign, env: { SRV_MODEL: '/home/op/their-own', SRV_API_KEY: 'e'.repeat(64) } }])
    const text = JSON.stringify(kept({ fleet, keys }, host, { ...facts, residents }))
    expect(text).toContain('"pid":7')
    expect(text).not.toMatch(/their-own|e{64}/)
  })
})

describe('a key in the environment of an own process', () => {
  it.each([
    ['the wanted one', 'sh0rt', true],
    ['another one', '0ther', false],
  ])('is stored without its digest: %s', (_, holds, same) => {
    const now = problem({ kind: 'B', manager: 'systemd' })
    const digest = sha256(`${now.facts.salt}${holds}`)
    const residents = mapObserved(now.facts.residents, (all) => all.map((one) => ({ ...one, env: { SRV_API_KEY: digest } })))
    const file = kept(now, now.host, { ...now.facts, residents })
    expect(JSON.stringify(file)).not.toContain(digest)
    const facts = restoreFacts(file, { ...now, remedy })
    const env = facts.residents.known ? [...new Set(facts.residents.value.map((one) => one.env?.['SRV_API_KEY']))] : []
    expect(env).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(env.includes(sha256(`${facts.salt}sh0rt`))).toBe(same)
  })
})

/** What is recalled where the service is another one now than it was then. */
const seenWith = (now: Partial<Service>, then: { given?: Partial<Service>; keys?: PlanInput['keys']; held?: Secret } = {}) => {
  const before = problem(then.given, then.held)
  const after = problem({ ...then.given, ...now })
  const from = kept({ fleet: before.fleet, keys: then.keys ?? before.keys }, before.host, before.facts)
  return restoreFacts(from, { ...after, remedy })
}

/** The same with an inventory in this folder, and its key file below. */
function at(folder: string) {
  const { fleet, host, ...rest } = problem({ key: { file: `${folder}/keys/coder.key` } })
  return { ...rest, host, fleet: { ...fleet, path: folder } }
}

describe('a key that the file leaves out', () => {
  const file = '@root/keys/coder.key'
  it('is unknown where the inventory names another one now', () => {
    const facts = seenWith({ key: { env: 'ANOTHER' } })
    expect(facts.keyFiles[file]).toMatchObject({ known: false, because: 'not-gathered' })
  })

  it('is unknown where it could not be had when the facts were gathered', () => {
    expect(seenWith({}, { keys: new Map() }).keyFiles[file]).toMatchObject({ known: false })
    const inline = seenWith({}, { keys: new Map(), given: { keyDelivery: 'inline' } })
    expect(inline.definitions['@root/compose/coder/compose.yaml']).toMatchObject({ known: false })
  })

  it('is another one where it was another one', () => {
    const facts = seenWith({}, { held: other })
    const salted = sha256(`${facts.salt}sh0rt`)
    expect(facts.keyFiles[file]).toMatchObject({ known: true, value: { saltedDigest: expect.not.stringContaining(salted) } })
  })

  it('is the same wherever the inventory with its key file lies', () => {
    const here = at('/home/op/inventory')
    const facts = restoreFacts(kept(here, here.host, here.facts), { ...at('/ci/checkout'), remedy })
    expect(facts.keyFiles[file]).toMatchObject({ known: true })
  })
})

describe('a service that was not there when the facts were gathered', () => {
  const before = problem()
  const file = kept(before, before.host, before.facts)

  it('is asked about by what keeps the answers, and its refusal says once what was not asked', () => {
    const after = problem({ name: 'writer', port: 9997 })
    const facts = new Map([['nas', restoreFacts(file, { ...after, remedy })]])
    const selection = { hosts: ['nas'], services: ['*'] }
    const [nas] = planFleet({ ...after, facts, selection, approvals: [], now: '2026-11-01T12:00:00Z' }).hosts
    const unknowns = nas?.refusals.filter(({ code }) => code === 'FACT.UNKNOWN') ?? []
    expect(unknowns.length).toBeGreaterThan(0)
    for (const { why, evidence, next } of unknowns) {
      expect(next).toEqual([remedy])
      expect([why, ...evidence].join('\n').match(/does not cover|not asked|not gathered|not-gathered/g)).toEqual([
        'does not cover',
      ])
      expect(why).not.toContain('@')
    }
  })

  it('has a model whose state is unknown', () => {
    const source = { hub: 'https://hub.example', repo: 'org/coder', files: [], revision: 'main' }
    const after = problem({ model: { path: '/srv/models/coder.gguf', source } })
    const facts = new Map([['nas', restoreFacts(file, { ...after, remedy })]])
    const selection = { hosts: ['nas'], services: ['*'] }
    const [nas] = planFleet({ ...after, facts, selection, approvals: [], now: '2026-11-01T12:00:00Z' }).hosts
    expect(nas?.fetches).toMatchObject([{ state: 'unknown', problem: { code: 'FACT.UNKNOWN', next: [remedy] } }])
    expect(nas?.refusals).toEqual([])
  })

  it('is spoken of with its paths as people know them', () => {
    const service: Partial<Service> = { name: 'writer', manager: 'launchd' }
    const details = Object.entries(restoreFacts(file, { ...problem(service), remedy }).definitions).map(([path, seen]) =>
      path.startsWith('@home/') && !seen.known ? seen.detail : undefined,
    )
    expect(details).toContainEqual(expect.stringContaining('does not cover ~/Library/LaunchAgents/com.example.writer.plist'))
  })
})
