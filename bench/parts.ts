import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { visibleJson } from '../src/lib/visible-text.ts'
import type { HostFacts } from '../src/model/facts.ts'
import type { Host } from '../src/model/fleet.ts'
import { known } from '../src/model/observed.ts'
import { Secret } from '../src/model/secret.ts'
import { type PlanInput, planFleet } from '../src/plan/plan-fleet.ts'
import { aFleet, aHost, aService, someFacts } from '../test/support/build.ts'
import { withApplied } from '../test/support/simulated-host.ts'

const key = new Secret('0123456789abcdef0123456789abcdef', 'bench')

/** Of ten hosts, one has everything to do; nine are as desired. */
const oneIn = 10

/**
 * Writes what `converge plan --json` prints for parts of a fleet. One part is planned; the others are the same plan with other names of hosts,
 * which are of the same length.
 */
export function writeParts(
  folder: string,
  { parts, hosts: count }: { readonly parts: number; readonly hosts: number },
): readonly string[] {
  mkdirSync(folder, { recursive: true })
  const text = `${visibleJson(planOf(count))}\n`
  return Array.from({ length: parts }, (_, part) => {
    const file = join(folder, `part-${number(part)}.json`)
    writeFileSync(file, text.replaceAll('p0000-', `p${number(part)}-`))
    return file
  })
}

function planOf(count: number) {
  const services = [aService({ name: 'coder', port: 9996 }), aService({ name: 'writer', port: 9995, manager: 'systemd' })]
  const hosts = Array.from({ length: count }, (_, index) => aHost({ name: `p0000-${number(index)}`, services }))
  return planFleet(planInput(hosts, (index) => index % oneIn !== 0))
}

/** Facts of every host: with everything as desired, or with nothing there. */
export function planInput(hosts: readonly Host[], isAsDesired: (index: number) => boolean): PlanInput {
  const fleet = aFleet({ hosts })
  const asDesired = (host: Host): HostFacts =>
    host.services.reduce(
      (facts, service) => withApplied(facts, { fleet, service, key, running: service.state === 'running' }),
      someFacts(host),
    )
  return {
    fleet,
    facts: new Map(hosts.map((host, index) => [host.name, isAsDesired(index) ? asDesired(host) : someFacts(host)])),
    keys: new Map(hosts.flatMap((host) => host.services.map((service) => [`${host.name}/${service.name}`, known(key)] as const))),
    selection: { hosts: hosts.map(({ name }) => name), services: ['*'] },
    approvals: [],
    now: '2026-11-01T00:00:00.000Z',
  }
}

function number(index: number): string {
  return String(index).padStart(4, '0')
}
