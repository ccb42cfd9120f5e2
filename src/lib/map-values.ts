/** The same names with `change` applied to what stands under each. */
export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}
