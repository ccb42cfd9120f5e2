import { mapStrings } from './map-strings.ts'
import { visibleInJson } from './visible-text.ts'

/** Members of a document, of its plan, of the hosts there, and of one host: below that, a piece is one string. */
const depthOfPieces = 4

const step = 2

/**
 * `visibleJson` of a document with `change` applied to its texts, in pieces: the JSON of a whole fleet can be longer than one string can be, and
 * no second copy of the document is made.
 */
export function* jsonPieces(value: unknown, change: (text: string) => string, depth = 0): Generator<string> {
  if (depth === depthOfPieces || typeof value !== 'object' || value === null || 'toJSON' in value)
    yield inside(mapStrings(value, change), depth)
  else if (Array.isArray(value)) yield* ofItems(value, change, depth)
  else yield* ofMembers(value, change, depth)
}

function* ofItems(items: readonly unknown[], change: (text: string) => string, depth: number): Generator<string> {
  let before = '['
  for (const item of items) {
    yield `${before}\n${margin(depth + 1)}`
    yield* jsonPieces(item ?? null, change, depth + 1)
    before = ','
  }
  yield before === '[' ? '[]' : `\n${margin(depth)}]`
}

function* ofMembers(members: object, change: (text: string) => string, depth: number): Generator<string> {
  let before = '{'
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue
    yield `${before}\n${margin(depth + 1)}${visibleInJson(JSON.stringify(name))}: `
    yield* jsonPieces(member, change, depth + 1)
    before = ','
  }
  yield before === '{' ? '{}' : `\n${margin(depth)}}`
}

/** A line break within a text is not one in its JSON. */
function inside(value: unknown, depth: number): string {
  return visibleInJson(JSON.stringify(value, null, step).replaceAll('\n', `\n${margin(depth)}`))
}

function margin(depth: number): string {
  return ' '.repeat(step * depth)
}

/** Joins pieces until they are worth a write. */
export function* joined(pieces: Iterable<string>, least = 65_536): Generator<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < least) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
