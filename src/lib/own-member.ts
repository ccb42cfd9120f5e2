/** What a record has under a name that came from elsewhere: every object has a `constructor`, and that is no service. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
