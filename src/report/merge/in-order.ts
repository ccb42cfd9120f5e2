/** Puts hosts into an order. */
export type InOrder = <One extends { readonly host: string }>(hosts: readonly One[]) => readonly One[]

export const asTheyAre: InOrder = (hosts) => hosts

/** The order of an inventory, as in a document of one run; hosts that it does not have come last. */
export function inOrderOf(names: readonly string[]): InOrder {
  const places = new Map(names.map((name, index) => [name, index]))
  const placeOf = ({ host }: { readonly host: string }) => places.get(host) ?? names.length
  return (hosts) => hosts.toSorted((a, b) => placeOf(a) - placeOf(b))
}
