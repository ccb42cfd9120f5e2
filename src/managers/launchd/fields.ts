import { type Fields, flagFields } from '../flag-fields.ts'
import { parsePlist } from './plist-text.ts'

/** An agent's property list, key by key; undefined: not one. Command and environment have the same names as elsewhere. */
export function plistFields(content: string): Fields | undefined {
  const root = parsePlist(content)
  if (!isDictionary(root)) return undefined
  return Object.fromEntries(Object.entries(root).flatMap(([name, value]) => Object.entries(fieldsOf(name, value))))
}

/** The command of a job as `launchctl print` shows it, under the same names. */
export function commandFields(words: readonly string[]): Fields {
  return flagFields('command', words)
}

function fieldsOf(name: string, value: unknown): Fields {
  if (name === 'ProgramArguments' && Array.isArray(value)) return commandFields(value.map(String))
  if (!isDictionary(value)) return { [name]: String(value) }
  const prefix = name === 'EnvironmentVariables' ? 'environment' : name
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [`${prefix}.${key}`, String(member)]))
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
