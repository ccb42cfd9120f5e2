import { isObject } from './json-object.ts'

type Change = (text: string) => string

/**
 * A JSON value with `change` applied to every string in it, except names of members and the members named in `leave`. Where nothing changes, it is the
 * value itself: most of a large document stays as it is.
 */
export function mapStrings(value: unknown, change: Change, leave: ReadonlySet<string> = new Set()): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return mapItems(value, change, leave)
  if (!isObject(value)) return value
  if (typeof value['toJSON'] === 'function') return mapStrings(value['toJSON'](), change, leave)
  const changed: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const member = leave.has(name) ? value[name] : mapStrings(value[name], change, leave)
    if (member !== value[name]) changed.push([name, member])
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function mapItems(items: readonly unknown[], change: Change, leave: ReadonlySet<string>): readonly unknown[] {
  const mapped = items.map((item) => mapStrings(item, change, leave))
  return mapped.every((item, index) => item === items[index]) ? items : mapped
}
