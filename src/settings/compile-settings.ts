import { InternalError } from '../errors/converge-error.ts'
import type { GroupBody } from '../managers/compile-action.ts'
import { sameMacBoot } from '../managers/macos-checks.ts'
import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { StepGroup } from '../model/step.ts'
import { compileEndpoints } from './compile-endpoints.ts'
import { compileRotation } from './compile-rotation.ts'
import { compileSleep } from './compile-sleep.ts'
import { dueEndpoints, isEndpoints } from './endpoints-files.ts'
import { isTimer } from './is-timer.ts'
import { logRuleField, missingRotation } from './log-rotation.ts'

/** Everything that one action changes on the machine itself. */
export function compileSettings(action: Action, fleet: Fleet, host: Host, facts: HostFacts): StepGroup {
  const { boot_id } = action.relies_on
  const { org } = fleet.settings
  const parts = [
    ...sleepOf(action, host, facts),
    ...rotationOf(action, host, { org, facts }),
    ...endpointsOf(action, host, { fleet, facts }),
  ]
  const cleanup = parts.flatMap((part) => part.cleanup ?? [])
  return {
    action: action.id,
    service: action.service,
    precheck: [...(boot_id === undefined ? [] : [sameMacBoot(boot_id)]), ...parts.flatMap(({ precheck }) => precheck)],
    steps: parts.flatMap(({ steps }) => steps),
    postcheck: parts.flatMap(({ postcheck }) => postcheck),
    undo: parts.toReversed().flatMap(({ undo }) => undo),
    ...(cleanup.length === 0 ? {} : { cleanup }),
  }
}

function sleepOf({ id, changes }: Action, { sleep = {} }: Host, { power }: HostFacts): readonly GroupBody[] {
  const timers = changes.filter(isTimer).map(({ field }) => field)
  if (timers.length === 0) return []
  if (!power.known) throw new InternalError(`${id} was planned without the current settings`)
  return [compileSleep(timers, sleep, power.value)]
}

function rotationOf(
  { id, changes }: Action,
  host: Host,
  { org, facts }: { readonly org: string; readonly facts: HostFacts },
): readonly GroupBody[] {
  if (!changes.some(({ field }) => field === logRuleField)) return []
  const missing = missingRotation(org, host, facts)
  if (!missing.known || missing.value === null) throw new InternalError(`${id} was planned although no rule is missing`)
  return [compileRotation(missing.value)]
}

function endpointsOf(
  { id, changes }: Action,
  host: Host,
  { fleet, facts }: { readonly fleet: Fleet; readonly facts: HostFacts },
): readonly GroupBody[] {
  if (!changes.some(isEndpoints)) return []
  const due = dueEndpoints(fleet, host, facts)
  const { layout } = facts
  if (!due.known || !layout.known) throw new InternalError(`${id} was planned without the files on the host`)
  return due.value.map((one) => compileEndpoints(one, layout.value))
}
