import { stableJson } from '../../src/lib/stable-json.ts'
import { managers } from '../../src/managers/index.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { aHost, someFacts } from '../support/build.ts'
import { factsOf } from '../support/fleet-input.ts'
import { withApplied } from '../support/simulated-host.ts'
import { pidOf } from '../support/simulated-pid.ts'

/** Where a service differs, to the byte, from one that was applied to an empty host. */
export function unlikeFresh(input: PlanInput, service: Service): readonly string[] {
  const facts = factsOf(input, service.host)
  const is = partsOf(facts, service)
  const fresh = freshParts(input, facts, service)
  return Object.keys(fresh)
    .filter((part) => is[part] !== fresh[part])
    .map((part) => `${service.host}/${service.name}: ${part} is ${is[part]} and should be ${fresh[part]}`)
}

type Parts = Readonly<Record<string, string>>

function freshParts({ fleet, keys }: PlanInput, { layout, platform }: HostFacts, service: Service): Parts {
  const key = keys.get(`${service.host}/${service.name}`)
  const os = platform.known ? platform.value.os : 'linux'
  const host = aHost({ name: service.host, platform: os, services: [service] })
  const empty = { ...someFacts(host), layout }
  if (service.state === 'absent') return partsOf(empty, service)
  const running = service.state === 'running'
  const applied = { fleet, service, key: key?.known === true ? key.value : undefined, running }
  return partsOf(withApplied(empty, applied), service)
}

function partsOf(facts: HostFacts, service: Service): Parts {
  const question = managers[service.manager].asks(service, 'example')
  const files = question?.definitions.map((path) => facts.definitions[path]) ?? []
  const keyFiles = question?.keyFiles.map((path) => facts.keyFiles[path]) ?? []
  const processes = facts.residents.known
    ? facts.residents.value.filter(({ pid, ppid }) => pid === pidOf(service) || ppid === pidOf(service))
    : []
  const up = processes.map(({ argv, env = {}, user, port }) => ({ argv, env: withoutKeys(env), user, port }))
  return {
    definition: stableJson(files),
    key: stableJson(keyFiles),
    processes: stableJson(up),
    ...supervised(facts, service, processes.length > 0),
  }
}

/** The definition shows whether a key is in the environment or in a file. */
function withoutKeys(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '***'))
}

/** What is stopped need not be loaded, and its container may never have run; any restart policy will do that does not start it. */
function supervised({ containers, systemd, launchd }: HostFacts, { name, manager }: Service, up: boolean): Parts {
  if (manager === 'systemd') {
    return { unit: stableJson(systemd.known ? systemd.value.units[`${name}.service`] : undefined) }
  }
  if (manager === 'launchd') {
    return { agent: stableJson(up && launchd.known ? launchd.value.agents[`com.example.${name}`] : undefined) }
  }
  const container = containers.known ? containers.value.containers.find((one) => one.name === name) : undefined
  const starts = up || container?.restartPolicy === 'always'
  const policy = starts ? {} : { restartPolicy: '' }
  return { container: stableJson({ ...container, state: '', exitCode: 0, health: '', ...policy }) }
}
