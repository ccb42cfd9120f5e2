/** A JSON value with `change` applied to every string in it, except names of members and the members named in `leave`. */
export function mapStrings(value: unknown, change: (text: string) => string, leave: ReadonlySet<string> = new Set()): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change, leave))
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return mapStrings(value.toJSON(), change, leave)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, leave.has(name) ? member : mapStrings(member, change, leave)]),
  )
}
