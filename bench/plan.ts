import { known } from '../src/model/observed.ts'
import { Secret } from '../src/model/secret.ts'
import { type PlanInput, planFleet } from '../src/plan/plan-fleet.ts'
import { aFleet, aHost, aService, someFacts } from '../test/support/build.ts'
import { withApplied } from '../test/support/simulated-host.ts'

/** Planning 1,000 hosts with 4 services each, facts given: once with everything to do, once with everything in the desired state. */
const hostCount = Number(process.argv[2] ?? 1000)
const key = new Secret('0123456789abcdef0123456789abcdef', 'bench')

const hosts = Array.from({ length: hostCount }, (_, index) =>
  aHost({
    name: `host-${index}`,
    services: [
      aService({ name: 'coder', port: 9996 }),
      aService({ name: 'writer', port: 9995, manager: 'systemd' }),
      aService({ name: 'flagship', kind: 'B', port: 9997, ramGb: 12 }),
      aService({ name: 'spare', port: 9994, state: 'stopped' }),
    ],
  }),
)
const fleet = aFleet({ hosts })
const nothing = new Map(hosts.map((host) => [host.name, someFacts(host)]))
const applied = new Map(
  hosts.map((host) => [
    host.name,
    host.services.reduce(
      (facts, service) => withApplied(facts, { fleet, service, key, running: service.state === 'running' }),
      someFacts(host),
    ),
  ]),
)

for (const [about, facts] of [
  ['everything to do', nothing],
  ['everything as desired', applied],
] as const) {
  const input: PlanInput = {
    fleet,
    facts,
    keys: new Map(hosts.flatMap((host) => host.services.map((service) => [`${host.name}/${service.name}`, known(key)] as const))),
    selection: { hosts: hosts.map((host) => host.name), services: ['*'] },
    approvals: [],
    now: '2026-11-01T00:00:00.000Z',
  }
  const before = process.cpuUsage()
  const started = performance.now()
  const { summary } = planFleet(input)
  const wall = Math.round(performance.now() - started)
  const { user, system } = process.cpuUsage(before)
  const cpu = Math.round((user + system) / 1000)
  console.log(`${about}: ${summary.hosts} hosts, ${summary.changes} changes, ${wall} ms wall, ${cpu} ms processor`)
}
