/** The own member of a record, for untrusted names: every object inherits a `constructor`, which is not a service. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
