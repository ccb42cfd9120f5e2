import { planFleet } from '../src/plan/plan-fleet.ts'
import { aHost, aService } from '../test/support/build.ts'
import { planInput } from './parts.ts'

/** Planning 1,000 hosts with 4 services each, facts given: once with everything to do, once with everything in the desired state. */
const hostCount = Number(process.argv[2] ?? 1000)
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

for (const about of ['everything to do', 'everything as desired']) {
  const input = planInput(hosts, () => about === 'everything as desired')
  const before = process.cpuUsage()
  const started = performance.now()
  const { summary } = planFleet(input)
  const wall = Math.round(performance.now() - started)
  const { user, system } = process.cpuUsage(before)
  const cpu = Math.round((user + system) / 1000)
  console.log(`${about}: ${summary.hosts} hosts, ${summary.changes} changes, ${wall} ms wall, ${cpu} ms processor`)
}
