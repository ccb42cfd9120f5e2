/** JSON with keys sorted at every depth and without `undefined` members, so that equal values give equal text. */
export function stableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, member: unknown) => (isPlainObject(member) ? sortKeys(member) : member), indent)
}

/** Members of a document, of its hosts, and of one host: below that, a piece is one string. */
const depthOfPieces = 3

/** The same text in pieces: that of a whole fleet can be longer than one string can be. */
export function* stablePieces(value: unknown, depth = 0): Generator<string> {
  if (depth === depthOfPieces || typeof value !== 'object' || value === null || 'toJSON' in value) yield stableJson(value)
  else if (Array.isArray(value)) yield* ofItems(value, depth)
  else yield* ofMembers(sortKeys({ ...value }), depth)
}

function* ofItems(items: readonly unknown[], depth: number): Generator<string> {
  let before = '['
  for (const item of items) {
    yield before
    yield* stablePieces(item ?? null, depth + 1)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* ofMembers(members: Record<string, unknown>, depth: number): Generator<string> {
  let before = '{'
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* stablePieces(member, depth + 1)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortKeys(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
