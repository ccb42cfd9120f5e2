import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed, unknown } from '../../model/observed.ts'
import { keyVariables } from '../../servers/asked-environment.ts'
import type { Fields } from '../flag-fields.ts'
import { toleranceS } from '../key-file.ts'
import { unitFields } from './fields.ts'
import { seenDefinition } from './seen.ts'

/**
 * What systemd started a process from, where the process itself does not show it. A unit file older than the process is what it was started
 * from; for a newer one, the desired part plus a field that reports it.
 */
export interface StartedFrom {
  command(wanted: Fields): Observed<Fields>
  environment(wanted: Fields): Observed<Fields>
  /**
   * Variables with a key, each as `***`; undefined: unknown, because the unit has a foreign environment file.
   *
   * @param keyFile the environment file that converge writes
   */
  keys(keyFile: string): Readonly<Record<string, string>> | undefined
}

export function startedFrom(service: Service, facts: HostFacts, { startedAt }: Resident): StartedFrom {
  const definition = seenDefinition(service, facts)
  const file = definition.known ? definition.value : null
  const fields = file === null ? undefined : unitFields(file.content)
  const modifiedAt = file?.modifiedAt
  if (fields === undefined || modifiedAt === undefined || startedAt === undefined) return unreadable(definition)
  if (modifiedAt > startedAt + toleranceS) return { command: newer, environment: newer, keys: () => undefined }
  const parts = Object.entries(fields)
  const command = parts.filter(([name]) => name.startsWith('command.'))
  const environment = parts.filter(([name, value]) => name.startsWith('environment.') && value !== redacted)
  return {
    command: () => known(Object.fromEntries(command)),
    environment: () => known(Object.fromEntries(environment)),
    keys: (keyFile) => keysIn(service, fields, keyFile),
  }
}

function keysIn(service: Service, fields: Fields, keyFile: string): Readonly<Record<string, string>> | undefined {
  const { EnvironmentFile: file } = fields
  if (file !== undefined && file !== keyFile) return undefined
  const names = keyVariables(service).filter((name) => file === keyFile || fields[`environment.${name}`] !== undefined)
  return Object.fromEntries(names.map((name) => [name, redacted]))
}

/** A key in the unit itself; other checks compare its value. */
const redacted = '***'

function newer(wanted: Fields): Observed<Fields> {
  return known({ ...wanted, unit_file: 'written after it was started' })
}

function unreadable(definition: Observed<unknown>): StartedFrom {
  const nothing = unknown('not-permitted', 'the environment of the process is not readable')
  const why = definition.known ? nothing : definition
  return { command: () => why, environment: () => why, keys: () => undefined }
}
