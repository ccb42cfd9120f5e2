import { isMap, visit } from 'yaml'
import { keyName, offsetOf, rangeOf } from './positions.ts'
import { parsedForEdit } from './yaml-file.ts'

/** The keys that lead to the key at a line and column, both from 1; undefined: there is none, or a list is on the way. */
export function pathAt(
  text: string,
  { line, column }: { readonly line: number; readonly column: number },
): readonly string[] | undefined {
  const offset = offsetOf(text, line, column)
  let found: readonly string[] | undefined
  visit(parsedForEdit(text), {
    Pair: (_, pair, above) => {
      if (rangeOf(pair.key)[0] !== offset || !isMap(above.at(-1))) return undefined
      const names = [...above.flatMap((node) => (isPairNode(node) ? [keyName(node)] : [])), keyName(pair)]
      found = names.every((name) => name !== undefined) ? names : undefined
      return visit.BREAK
    },
  })
  return found
}

function isPairNode(node: unknown): node is Parameters<typeof keyName>[0] {
  return typeof node === 'object' && node !== null && 'key' in node && 'value' in node
}
