/** The sides of a service that are compared: its definition, and the server that runs. */
const side = /^(definition|running)\.(.+)$/

/**
 * Fields that differ on disk and in the running server by the same values, as one: `{definition,running}.command.--ctx`.
 *
 * @param keyOf what two of them must have in common beside the field
 */
export function foldFields<T>(
  all: readonly T[],
  fieldOf: (one: T) => string,
  keyOf: (one: T) => string,
): readonly { readonly one: T; readonly field: string }[] {
  const groups = Map.groupBy(all, (one) => {
    const field = side.exec(fieldOf(one))?.[2]
    return field === undefined ? one : `${field}\n${keyOf(one)}`
  })
  return [...groups.values()].flatMap((group) => {
    const sides = new Set(group.map((one) => side.exec(fieldOf(one))?.[1]))
    const [one] = group
    if (one === undefined || sides.size < 2) return group.map((same) => ({ one: same, field: fieldOf(same) }))
    return [{ one, field: `{definition,running}.${side.exec(fieldOf(one))?.[2]}` }]
  })
}
