import { defined } from '../../lib/defined.ts'
import type { Action } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known } from '../../model/observed.ts'
import type { Check } from '../../model/step.ts'
import { isAdopted } from '../adopted.ts'
import { type KeyBefore, keyBefore } from '../key-file.ts'
import { definitionUnchanged } from '../linux-checks.ts'
import { macPortFree, macProcessUnchanged, sameMacBoot } from '../macos-checks.ts'
import type { RenderInput } from '../manager.ts'
import { mayBeForeign } from '../may-be-foreign.ts'
import { modelUnchanged } from '../model-unchanged.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import type { LaunchdTarget } from './acts.ts'
import * as checks from './checks.ts'
import { keyFilePath, labelOf, logPath } from './definition.ts'
import { domainOf, plistIn } from './domain.ts'
import { holder } from './observe.ts'
import { isRunning, type Place, placesOf } from './places.ts'
import { seenProcess } from './seen.ts'

/** One action, and the facts about its service. */
export interface Job extends LaunchdTarget {
  readonly action: Action
  readonly input: RenderInput
  /** SHA-256 of the property list on disk; null: none. */
  readonly before: string | null
  /** The loaded job; null: none. */
  readonly agent: LaunchAgent | null
  /** Whether it ran when this action began; false after a stop of the same plan. */
  readonly wasUp: boolean
  readonly key: KeyBefore
  /** What the other domain still has of the service; absent: nothing. */
  readonly old?: OldJob
  readonly prechecks: readonly Check[]
  /** Checked again right before something is started or stopped. */
  readonly guards: readonly Check[]
}

/** The service in the domain that it leaves. */
export interface OldJob extends LaunchdTarget {
  /** SHA-256 of its property list; null: none. */
  readonly before: string | null
  readonly agent: LaunchAgent | null
  /** Its domain does not exist now, so nothing of it is loaded. */
  readonly noSession?: true
}

export function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service, settings } = input
  const { org } = settings
  const seen = placesOf(service, facts, org)
  const { here, elsewhere } = seen.known ? seen.value : { here: unseenPlace(input), elsewhere: undefined }
  const current = holder({ here, ...defined({ elsewhere }) })
  // A stop ends what runs, wherever it is.
  const place = action.kind === 'stop' ? current : here
  const target = targetOf(place, { action, input, facts })
  const ours = checks.agentIsOurs(target)
  const held = guardsOf(action, current)
  return {
    ...target,
    action,
    input,
    before: action.relies_on.definition_digest ?? null,
    agent: place.agent,
    wasUp: isRunning(current) && action.relies_on.process !== null,
    key: keyBefore(keyFilePath(input), input, facts),
    ...(elsewhere === undefined || place === elsewhere ? {} : { old: oldJob(elsewhere, { action, input, facts }) }),
    // Before a write the digest identifies the file: it may be a foreign one that was approved.
    prechecks: [
      ...prechecksOf(action, here),
      ...modelUnchanged(action, service, facts, 'macos'),
      mayBeForeign(action) ? checks.agentComesFrom(target) : ours,
      ...held,
    ],
    guards: [ours, ...held],
  }
}

/** The longest that an action waits for a server to end, whatever time a definition gives it. */
const longestGraceS = 86_400

/** What is loaded keeps its own time to stop until it is loaded anew. A launchd that does not report it may have less. */
function graceOf({ stopTimeoutS }: Service, agent: LaunchAgent | null): Pick<Job, 'grace' | 'killedEarly'> {
  const loaded = agent === null || agent.pid === null ? stopTimeoutS : (agent.exitTimeoutS ?? 0)
  return {
    grace: Math.max(stopTimeoutS, Math.min(loaded, longestGraceS)),
    ...(loaded < stopTimeoutS ? { killedEarly: true } : {}),
  }
}

interface About {
  readonly action: Action
  readonly input: RenderInput
  readonly facts: HostFacts
}

function targetOf(place: Place, { action, input, facts }: About): LaunchdTarget {
  const { service, settings, layout } = input
  const { domain, label, path, agent, definition } = place
  const ends = action.kind === 'remove' || action.kind === 'stop' || domain !== domainOf(service)
  const ownershipLabel = ownershipLabelOf(settings.org, service.name)
  const isTheirs = definition !== null && definition.mark !== ownershipLabel
  return {
    domain,
    label,
    path,
    ownershipLabel,
    ...(isTheirs && isAdopted(service, settings.org, facts, definition) ? { adopted: definition.digest } : {}),
    log: logPath({ ...service, domain }, layout),
    port: ends ? heldPort(agent, facts, service.port) : service.port,
    ...graceOf(service, agent),
  }
}

function oldJob(place: Place, about: About): OldJob {
  const { definition, agent, noSession } = place
  return { ...targetOf(place, about), before: definition?.digest ?? null, agent, ...defined({ noSession }) }
}

/** An action that ends a server is compiled even if not everything about it is known. */
function unseenPlace({ service, settings, layout }: RenderInput): Place {
  const [domain, label] = [domainOf(service), labelOf(service, settings.org)]
  return { domain, label, path: plistIn(domain, layout, label), definition: null, agent: null, disabled: false }
}

/** The port of the server to be ended: the inventory may already name another one, which another process may hold. */
function heldPort(agent: LaunchAgent | null, facts: HostFacts, wanted: number): number {
  const running = agent === null || agent.pid === null ? known(null) : seenProcess(agent, facts)
  return running.known ? (running.value?.port ?? wanted) : wanted
}

function prechecksOf({ relies_on }: Action, { domain, path }: Place): readonly Check[] {
  const { boot_id, definition_digest } = relies_on
  return [
    ...(boot_id === undefined ? [] : [sameMacBoot(boot_id)]),
    checks.domainThere(domain),
    ...(definition_digest === undefined ? [] : [definitionUnchanged(path, definition_digest)]),
  ]
}

/** A crash-looping agent only has a process at times: a check that it is down would fail at random. */
function guardsOf({ relies_on }: Action, { domain, label, agent, noSession }: Place): readonly Check[] {
  const { process, free_port } = relies_on
  const flickers = agent?.state === 'spawn scheduled'
  return [
    ...(process === null && !flickers && noSession !== true ? [checks.agentDown({ domain, label })] : []),
    ...(process === undefined || process === null
      ? []
      : [macProcessUnchanged(process), checks.agentHolds({ domain, label }, process.pid)]),
    ...(free_port === undefined ? [] : [macPortFree(free_port)]),
  ]
}
