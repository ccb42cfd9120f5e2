/** How JSON is written in pieces. */
export interface PieceFormat {
  /** Below this depth, a value is one piece. */
  readonly depth: number
  /** Whether an object is one piece at any depth. */
  isWhole(object: object): boolean
  /** Between the parts of a list or object at a depth. */
  breakAt(depth: number): string
  /** The members of an object, in their order. */
  members(object: object): readonly (readonly [name: string, value: unknown])[]
  /** A name with its colon. */
  name(name: string): string
  /** A whole value at a depth. */
  whole(value: unknown, depth: number): string
}

/** The JSON of a value in pieces: that of a whole fleet can be longer than one string can be. */
export function* piecesOf(value: unknown, format: PieceFormat, depth = 0): Generator<string> {
  if (depth === format.depth || typeof value !== 'object' || value === null || format.isWhole(value)) {
    yield format.whole(value, depth)
    return
  }
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  let before = open
  for (const [name, member] of isList ? value.map((item: unknown) => ['', item ?? null] as const) : format.members(value)) {
    if (member === undefined) continue
    yield `${before}${format.breakAt(depth + 1)}${isList ? '' : format.name(name)}`
    yield* piecesOf(member, format, depth + 1)
    before = ','
  }
  yield before === open ? `${open}${close}` : `${format.breakAt(depth)}${close}`
}
