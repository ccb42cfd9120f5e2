import { isTidying } from '../../src/managers/tidying.ts'
import type { Action } from '../../src/model/action.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { type Effects, effectsOf } from './compiled-effects.ts'
import { isPaused, withUnpaused } from './paused-container.ts'
import { keptFromLogin, withAgentIdle, withoutAgent } from './simulated-agent.ts'
import { withPlaced, withRestartPolicy, withStarted } from './simulated-container.ts'
import { type Applied, withApplied, withFilesAlone, withoutService, withRecordAlone, withStopped } from './simulated-host.ts'

/** The facts of a host after an action was done on it, as far as the action's own service goes. */
export function executed(facts: HostFacts, action: Action, input: PlanInput): HostFacts {
  const { fleet, keys } = input
  const service = fleet.hosts
    .flatMap((host) => host.services)
    .find((one) => `${one.host}/${one.name}` === `${action.host}/${action.service}`)
  if (service === undefined) throw new Error(`there is no service for ${action.id}`)
  const key = keys.get(`${service.host}/${service.name}`)
  const applied = { fleet, service, key: key?.known === true ? key.value : undefined }
  const tidy = { ...facts, leftovers: withoutThoseOf(service.name, facts.leftovers) }
  if (action.kind === 'remove') return withoutService(tidy, service)
  if (action.kind === 'adopt') return withAdopted(tidy, action, applied)
  const effects = effectsOf(action, input)
  const done = acted(tidy, action, applied, effects)
  return effects.dropsKeyFile ? withoutKeyFile(done, service.name) : withKeyFileOf(done, facts, service.name)
}

/** The record has the digest of the definition as it is; nothing else changes. */
function withAdopted(facts: HostFacts, action: Action, applied: Omit<Applied, 'running'>): HostFacts {
  const { applied: records } = withRecordAlone(facts, { ...applied, running: true })
  const { name } = applied.service
  const definitionDigest = action.relies_on.definition_digest
  return {
    ...facts,
    applied: mapObserved(records, (all) => {
      const record = all[name]
      if (record === undefined || typeof definitionDigest !== 'string') throw new Error(`nothing to adopt for ${action.id}`)
      return { ...all, [name]: { ...record, definitionDigest, adopted: true as const } }
    }),
  }
}

function acted(facts: HostFacts, action: Action, applied: Omit<Applied, 'running'>, effects: Effects): HostFacts {
  const { service } = applied
  if (action.momentary === true) return withApplied(facts, { ...applied, running: false })
  if (action.kind === 'stop')
    return effects.rests ? withRestartPolicy(withStopped(facts, service), service) : withStopped(facts, service)
  // What is let go on is what was paused.
  if (action.kind === 'start' && isPaused(facts, service))
    return withRecordAlone(withUnpaused(facts, service), { ...applied, running: true })
  if (action.kind === 'start' && !effects.replaces) return withStarted(facts, applied)
  if (action.starts) return withApplied(facts, { ...applied, running: true })
  if (isTidying(action)) return withRecordAlone(facts, { ...applied, running: true })
  const runs = facts.http[service.name] !== undefined
  if (runs) return withFilesAlone(facts, { ...applied, running: true })
  if (service.manager !== 'launchd') return withPlaced(facts, applied)
  // launchd only knows what was loaded, until it is unloaded.
  const placed = withFilesAlone(facts, { ...applied, running: false })
  const idle = { ...placed, launchd: keptFromLogin(withAgentIdle(placed, service), service) }
  return effects.unloads ? { ...idle, launchd: withoutAgent(idle, service) } : idle
}

/** Every action takes them along, whatever else it does. */
function withoutThoseOf(service: string, leftovers: HostFacts['leftovers']): HostFacts['leftovers'] {
  return Object.fromEntries(Object.entries(leftovers).filter(([path]) => !path.includes(`/${service}.`)))
}

function withoutKeyFile(facts: HostFacts, service: string): HostFacts {
  const gone = Object.keys(facts.keyFiles).filter((path) => path.includes(`/${service}.`))
  return { ...facts, keyFiles: { ...facts.keyFiles, ...Object.fromEntries(gone.map((path) => [path, known(null)])) } }
}

/** A key file stays until it is deleted, whatever its origin. */
function withKeyFileOf(facts: HostFacts, before: HostFacts, service: string): HostFacts {
  const kept = Object.entries(before.keyFiles).filter(([path]) => {
    const now = facts.keyFiles[path]
    return path.includes(`/${service}.`) && now?.known === true && now.value === null
  })
  return { ...facts, keyFiles: { ...facts.keyFiles, ...Object.fromEntries(kept) } }
}
