import type { Action } from '../../model/action.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known } from '../../model/observed.ts'
import type { Check } from '../../model/step.ts'
import { adoptedDigest } from '../adopted.ts'
import { type KeyBefore, keyBefore } from '../key-file.ts'
import { definitionUnchanged } from '../linux-checks.ts'
import { macPortFree, macProcessUnchanged, sameMacBoot } from '../macos-checks.ts'
import type { RenderInput } from '../manager.ts'
import { mayBeForeign } from '../may-be-foreign.ts'
import { modelUnchanged } from '../model-unchanged.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import type { LaunchdTarget } from './acts.ts'
import * as checks from './checks.ts'
import { keyFilePath, labelOf, logPath, plistPath } from './definition.ts'
import { observeAgent } from './observe.ts'
import { seenAgent, seenProcess } from './seen.ts'

/** One action, and the facts about its service. */
export interface Job extends LaunchdTarget {
  readonly action: Action
  readonly input: RenderInput
  /** SHA-256 of the property list on disk; null: none. */
  readonly before: string | null
  /** The loaded agent; null: none. */
  readonly agent: LaunchAgent | null
  /** Whether it ran when this action began; false after a stop of the same plan. */
  readonly wasUp: boolean
  readonly key: KeyBefore
  readonly prechecks: readonly Check[]
  /** Checked again right before something is started or stopped. */
  readonly guards: readonly Check[]
}

export function jobOf(action: Action, input: RenderInput, facts: HostFacts): Job {
  const { service, settings, layout } = input
  const label = labelOf(service, settings.org)
  const path = plistPath(input)
  const seen = seenAgent(service, facts, settings.org)
  const agent = seen.known ? seen.value : null
  const held = guardsOf(action, label, agent)
  const ownershipLabel = ownershipLabelOf(settings.org, service.name)
  const adopted = adoptedDigest(observeAgent(service, facts, settings.org))
  const ours = checks.agentIsOurs({ label, path, ownershipLabel, ...adopted })
  const ends = action.kind === 'remove' || action.kind === 'stop'
  return {
    action,
    input,
    label,
    path,
    ownershipLabel,
    ...adopted,
    log: logPath(service, layout),
    port: ends ? heldPort(agent, facts, service.port) : service.port,
    ...graceOf(service, agent),
    before: action.relies_on.definition_digest ?? null,
    agent,
    wasUp: agent !== null && agent.pid !== null && action.relies_on.process !== null,
    key: keyBefore(keyFilePath(input), input, facts),
    // Before a write the digest identifies the file: it may be a foreign one that was approved.
    prechecks: [
      ...prechecksOf(action, path),
      ...modelUnchanged(action, service, facts, 'macos'),
      mayBeForeign(action) ? checks.agentComesFrom(label, path) : ours,
      ...held,
    ],
    guards: [ours, ...held],
  }
}

/** What is loaded keeps its own time to stop until it is loaded anew. A launchd that does not report it may have less. */
function graceOf({ stopTimeoutS }: Service, agent: LaunchAgent | null): Pick<Job, 'grace' | 'killedEarly'> {
  const loaded = agent === null || agent.pid === null ? stopTimeoutS : (agent.exitTimeoutS ?? 0)
  return { grace: Math.max(stopTimeoutS, loaded), ...(loaded < stopTimeoutS ? { killedEarly: true } : {}) }
}

/** The port of the server to be ended: the inventory may already name another one, which another process may hold. */
function heldPort(agent: LaunchAgent | null, facts: HostFacts, wanted: number): number {
  const running = agent === null || agent.pid === null ? known(null) : seenProcess(agent, facts)
  return running.known ? (running.value?.port ?? wanted) : wanted
}

function prechecksOf({ relies_on }: Action, path: string): readonly Check[] {
  const { boot_id, definition_digest } = relies_on
  return [
    ...(boot_id === undefined ? [] : [sameMacBoot(boot_id)]),
    checks.domainThere(),
    ...(definition_digest === undefined ? [] : [definitionUnchanged(path, definition_digest)]),
  ]
}

/** A crash-looping agent only has a process at times: a check that it is down would fail at random. */
function guardsOf({ relies_on }: Action, label: string, agent: LaunchAgent | null): readonly Check[] {
  const { process, free_port } = relies_on
  const flickers = agent?.state === 'spawn scheduled'
  return [
    ...(process === null && !flickers ? [checks.agentDown(label)] : []),
    ...(process === undefined || process === null ? [] : [macProcessUnchanged(process), checks.agentHolds(label, process.pid)]),
    ...(free_port === undefined ? [] : [macPortFree(free_port)]),
  ]
}
