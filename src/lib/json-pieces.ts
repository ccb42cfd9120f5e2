import { piecesOf } from './json-walk.ts'
import { mapStrings } from './map-strings.ts'
import { visibleInJson } from './visible-text.ts'

const step = 2

/** Where a packed value has itself as `Written`, so that it need not be parsed to be written. */
export const itsJson = Symbol('its JSON')

export interface Written {
  /** `jsonAt` this depth. */
  readonly text: string
  readonly depth: number
}

/** `visibleJson` of a document with `change` applied to its texts, in pieces: no second copy of the document is made. */
export function jsonPieces(value: unknown, change: (text: string) => string): Generator<string> {
  return piecesOf(value, {
    // Members of a document, of its plan, and of the hosts there.
    depth: 3,
    isWhole: (object) => 'toJSON' in object || itsJson in object,
    breakAt: lineBreak,
    members: Object.entries,
    name: (name) => `${visibleInJson(JSON.stringify(name))}: `,
    whole: (one, depth) => writtenBefore(one, depth, change) ?? jsonAt(mapStrings(one, change), depth),
  })
}

function writtenBefore(value: unknown, depth: number, change: (text: string) => string): string | undefined {
  if (typeof value !== 'object' || value === null || !(itsJson in value)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is named so
  const own = value[itsJson] as Written
  // If it changes nothing in the whole, it changes no text in it.
  return own.depth === depth && change(own.text) === own.text ? own.text : undefined
}

/** `visibleJson` of a value at a depth in a document. */
export function jsonAt(value: unknown, depth: number): string {
  return visibleInJson(indentedJson(value, depth))
}

/** The JSON of a value as it is within lists: to be written there indented is faster than to be indented afterwards. */
function indentedJson(value: unknown, depth: number): string {
  const json = (one: unknown) => JSON.stringify(withinLists(one, depth), null, step)
  const [before = '', after = ''] = json(0).split('0')
  const text = json(value)
  return text.slice(before.length, text.length - after.length)
}

function withinLists(value: unknown, depth: number): unknown {
  return depth === 0 ? value : [withinLists(value, depth - 1)]
}

function lineBreak(depth: number): string {
  return `\n${' '.repeat(step * depth)}`
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
