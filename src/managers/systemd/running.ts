import type { FieldChange } from '../../model/action.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch } from '../../model/launch.ts'
import { known, mapObserved, type Observed, unknown } from '../../model/observed.ts'
import { Secret } from '../../model/secret.ts'
import { compareFields, restartOf, withPrefix } from '../compare-fields.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import { toleranceS } from '../key-file.ts'
import type { RenderInput } from '../manager.ts'
import { compareKey } from '../running-key.ts'
import { accountOf, launchAsUnit } from './definition.ts'
import { unitFields } from './fields.ts'
import { isUp, seenDefinition, seenProcess, seenUnit } from './seen.ts'

/** The unit's main process, by its own arguments, environment and account, against the one that would be started now. */
export function compareRunningUnit(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]> {
  const unit = seenUnit(input.service, facts)
  if (!unit.known) return unit
  if (unit.value === null || !isUp(unit.value)) return known([])
  const main = seenProcess(unit.value, facts)
  if (!main.known) return main
  if (main.value === null) return known([])
  const process = main.value
  const launch = launchAsUnit(input)
  const running = fieldsOf(process, launch, environmentOnDisk(input.service, facts, { process, launch }))
  if (!running.known) return running
  const effect = restartOf(input.service.kind)
  const changes = withPrefix(
    'running',
    compareFields(running.value, wantedFields(input, launch), () => effect),
  )
  return mapObserved(compareKey(input.service, facts, process.startedAt), (key) => [...changes, ...key])
}

function wantedFields(input: RenderInput, launch: Launch): Fields {
  return {
    user: accountOf(input),
    ...flagFields('command', [...launch.program, ...launch.args].map(String)),
    ...environmentFields(plainNames(launch), launch.env),
  }
}

/**
 * Only variables that are wanted and are no keys: others may be anybody's. A Kind A is told by its flags alone; where the probe
 * does not bring its environment, that is left out.
 */
function fieldsOf({ user, argv, env }: Resident, launch: Launch, onDisk: Observed<Fields>): Observed<Fields> {
  const seen = { user, ...flagFields('command', argv) }
  const names = plainNames(launch)
  if (env !== undefined || names.length === 0) return known({ ...seen, ...environmentFields(names, env ?? {}) })
  if (launch.kind === 'A') return known({ ...seen, ...environmentFields(names, launch.env) })
  return mapObserved(onDisk, (environment) => ({ ...seen, ...environment }))
}

/**
 * For a process whose environment may not be read (not even root may, in some containers): it has that of its unit file, as long
 * as the file was not written after it started.
 */
function environmentOnDisk(
  service: Service,
  facts: HostFacts,
  { process: { startedAt }, launch }: { readonly process: Resident; readonly launch: Launch },
): Observed<Fields> {
  const definition = seenDefinition(service, facts)
  if (!definition.known) return definition
  const fields = definition.value === null ? undefined : unitFields(definition.value.content)
  const modifiedAt = definition.value?.modifiedAt
  if (fields === undefined || modifiedAt === undefined || startedAt === undefined)
    return unknown('not-permitted', 'the environment of the process could not be read')
  if (modifiedAt > startedAt + toleranceS)
    return known({ ...environmentFields(plainNames(launch), launch.env), unit_file: 'written after it was started' })
  const shown = Object.entries(fields).filter(([name, value]) => name.startsWith('environment.') && value !== redacted)
  return known(Object.fromEntries(shown))
}

/** A key in the unit itself; whether it is the wanted one, others tell. */
const redacted = '***'

function plainNames({ env }: Launch): readonly string[] {
  return Object.keys(env).filter((name) => !(env[name] instanceof Secret))
}

function environmentFields(names: readonly string[], env: Readonly<Record<string, string | Secret>>): Fields {
  const set = names.flatMap((name) => (env[name] === undefined ? [] : [[`environment.${name}`, String(env[name])] as const]))
  return Object.fromEntries(set)
}
