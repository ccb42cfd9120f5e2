import type { FieldChange } from '../../model/action.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Launch } from '../../model/launch.ts'
import { known, mapObserved, type Observed } from '../../model/observed.ts'
import { Secret } from '../../model/secret.ts'
import { serverKinds } from '../../servers/index.ts'
import { compareFields, restartOf, withPrefix } from '../compare-fields.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import type { RenderInput } from '../manager.ts'
import { compareRunningFiles } from '../running-files.ts'
import { compareKey } from '../running-key.ts'
import { accountOf, keyFilePath, launchAsUnit } from './definition.ts'
import { isUp, seenProcess, seenUnit } from './seen.ts'
import { type StartedFrom, startedFrom } from './started-from.ts'

/** Compares the unit's main process, by its own arguments, environment and account, with the one that would be started now. */
export function compareRunningUnit(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]> {
  const unit = seenUnit(input.service, facts)
  if (!unit.known) return unit
  if (unit.value === null || !isUp(unit.value)) return known([])
  const main = seenProcess(unit.value, facts)
  if (!main.known) return main
  if (main.value === null) return known([])
  const process = main.value
  const wanted = wantedParts(input)
  const from = startedFrom(input.service, facts, process)
  const running = runningParts(process, wanted, from)
  if (!running.known) return running
  const effect = restartOf(input.service.kind)
  const changes = withPrefix(
    'running',
    compareFields(flat(running.value), flat(wanted), () => effect),
  )
  const holder = { startedAt: process.startedAt, env: process.env ?? from.keys(keyFilePath(input)) }
  return mapObserved(compareKey(input, facts, holder), (key) => [
    ...changes,
    ...compareRunningFiles(input.service, facts, process),
    ...key,
  ])
}

interface Parts {
  readonly user: string
  readonly command: Fields
  readonly environment: Fields
}

interface DesiredParts extends Parts {
  readonly launch: Launch
}

function flat({ user, command, environment }: Parts): Fields {
  return { user, ...command, ...environment }
}

function wantedParts(input: RenderInput): DesiredParts {
  const launch = launchAsUnit(input)
  const command = flagFields('command', [...launch.program, ...launch.args].map(String))
  return { launch, user: accountOf(input), command, environment: environmentFields(plainNames(launch), launch.env) }
}

function runningParts(process: Resident, wanted: DesiredParts, from: StartedFrom): Observed<Parts> {
  const command = commandOf(process, wanted, from)
  return mapObserved(environmentOf(process, wanted, from), (environment) => ({ user: process.user, command, environment }))
}

/**
 * Its own arguments, without the interpreter of a script. If a wrapper replaced itself by another program, they prove nothing: then the
 * command of the unit counts.
 */
function commandOf({ argv }: Resident, { launch, command }: DesiredParts, from: StartedFrom): Fields {
  const at = argv.indexOf(launch.program[0] ?? '')
  if (at >= 0 && at <= 2) return flagFields('command', argv.slice(at))
  const declared = from.command(command)
  return declared.known ? declared.value : flagFields('command', argv)
}

/**
 * Only desired variables that are no keys: others may have any origin. In some containers not even root can read them; then Kind A is
 * described by its flags alone, Kind B by its unit.
 */
function environmentOf({ env }: Resident, { launch, environment }: DesiredParts, from: StartedFrom): Observed<Fields> {
  const names = plainNames(launch)
  if (env !== undefined || names.length === 0) return known(environmentFields(names, env ?? {}))
  return serverKinds[launch.kind].describedByFlags ? known(environment) : from.environment(environment)
}

function plainNames({ env }: Launch): readonly string[] {
  return Object.keys(env).filter((name) => !(env[name] instanceof Secret))
}

function environmentFields(names: readonly string[], env: Readonly<Record<string, string | Secret>>): Fields {
  const set = names.flatMap((name) => (env[name] === undefined ? [] : [[`environment.${name}`, String(env[name])] as const]))
  return Object.fromEntries(set)
}
