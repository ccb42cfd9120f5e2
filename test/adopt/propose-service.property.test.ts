import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { supervisorOf } from '../../src/adopt/find-servers.ts'
import { proposeService } from '../../src/adopt/propose-service.ts'
import { launchAsAgent } from '../../src/managers/launchd/definition.ts'
import { launchAsUnit } from '../../src/managers/systemd/definition.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import type { SurveyedProcess } from '../../src/model/survey.ts'
import { type Fields, kindA, kindB } from '../servers/arbitrary-service.ts'
import { servicesWith } from '../servers/inventory-with.ts'
import { startedBy } from '../servers/started-by.ts'
import { aFleet, aHost, someFacts } from '../support/build.ts'
import { casesOf } from '../support/series.ts'
import { withApplied } from '../support/simulated-host.ts'
import { pidOf } from '../support/simulated-pid.ts'
import { surveyedAgent, surveyedUnit } from './surveyed.ts'

const cases = [
  ['A', 'linux', 'systemd', kindA],
  ['B', 'linux', 'systemd', kindB],
  ['A', 'macos', 'launchd', kindA],
  ['B', 'macos', 'launchd', kindB],
] as const

/** Reading one inventory of many services takes a fraction of the time of many inventories. */
const atOnce = { minLength: 1, maxLength: 25, size: 'max' } as const

describe('a server that runs from a definition', () => {
  test.each(cases)('is proposed as the service that it was rendered from: kind %s, %s, %s', (kind, platform, manager, drawn) => {
    const lot = fc.record({ fields: drawn, hasKey: fc.boolean() })
    fc.assert(
      fc.property(fc.array(lot, atOnce), (lots) => {
        const given = lots.map(({ fields, hasKey }) => withKey(fit({ ...fields, manager }, kind), hasKey))
        const services = servicesWith(
          given.map((fields) => ({ name: 'one', fields })),
          platform,
        )
        const proposed = services.map((service, index) => {
          const { resident, surveyed, facts } = running(service)
          const seen = { resident, kind, surveyed, supervisor: supervisorOf(resident, surveyed, facts) }
          const proposal = proposeService(seen, { facts, platform, taken: new Set(), names: new Map() })
          const {
            name,
            fields: { api_key: reference, ...fields },
            problems,
          } = proposal
          expect({ problems, hasKey: reference !== undefined }).toEqual({ problems: [], hasKey: lots[index]?.hasKey })
          return { name, fields: withKey(fields, reference !== undefined) }
        })
        const again = servicesWith(proposed, platform)
        expect(again.map(comparable)).toEqual(services.map(comparable))
        const place = manager === 'systemd' ? 'one.service' : 'com.example.one'
        expect(again.map(({ unit, label }) => unit ?? label)).toEqual(services.map(() => place))
      }),
      { numRuns: casesOf({ short: 20, long: 400 }) },
    )
  })
})

function withKey(fields: Fields, hasKey: boolean): Fields {
  return hasKey ? { ...fields, api_key: { env: 'ONE_KEY' } } : fields
}

/** Without what no process shows. */
function comparable({ name: _name, source: _source, unit: _unit, label: _label, keyDelivery: _delivery, ...service }: Service) {
  return service
}

/**
 * What a proposal can be exact about. A shell brings the key of a Kind B agent, and `launchctl print` shows no blanks around words.
 */
function fit(fields: Fields, kind: 'A' | 'B'): Fields {
  const { manager, extra_args: words = [], env = {}, alias } = fields
  if (manager === 'systemd') return fields
  const trimmed = (words as readonly string[]).map((word) => word.trim())
  return {
    ...fields,
    ...(kind === 'B' ? { key_delivery: 'inline' } : {}),
    extra_args: trimmed.every((word) => word !== '') ? trimmed : [],
    env: Object.fromEntries(Object.entries(env as Fields).map(([name, value]) => [name, String(value).trim()])),
    ...(typeof alias === 'string' ? { alias: alias.trim() === '' ? 'blank' : alias.trim() } : {}),
  }
}

interface Running {
  readonly resident: Resident
  readonly surveyed: SurveyedProcess | undefined
  readonly facts: HostFacts
}

function running(service: Service): Running {
  const isMac = service.manager === 'launchd'
  const host = aHost({ name: service.host, services: [service], platform: isMac ? 'macos' : 'linux' })
  const fleet = aFleet({ hosts: [host] })
  const key = service.key !== undefined ? new Secret('the-key', 'env ONE_KEY') : undefined
  const layout = { user: 'op', home: isMac ? '/Users/op' : '/home/op', effectiveUid: 0, root: '/etc/converge' }
  const facts = withApplied(someFacts(host, { layout: known(layout) }), { fleet, service, key, running: true })
  const found = facts.residents.known ? facts.residents.value.find(({ pid }) => pid === pidOf(service)) : undefined
  if (found === undefined) throw new Error('the server does not run')
  if (!isMac) {
    const { env = {} } = startedBy(launchAsUnit({ service, settings: fleet.settings, layout, key }))
    return { resident: found, surveyed: surveyedUnit(found, env), facts }
  }
  const argv = startedBy(launchAsAgent({ service, settings: fleet.settings, layout, key })).argv
  // As `ps` prints them.
  const resident = {
    ...found,
    argv: argv
      .join(' ')
      .split(' ')
      .filter((word) => word !== ''),
  }
  return { resident, surveyed: surveyedAgent(resident, facts, 'com.example.one'), facts }
}
