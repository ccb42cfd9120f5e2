import { piecesOf } from './json-walk.ts'
import { mapStrings } from './map-strings.ts'
import { visibleInJson } from './visible-text.ts'

const step = 2

/** `visibleJson` of a document with `change` applied to its texts, in pieces: no second copy of the document is made. */
export function jsonPieces(value: unknown, change: (text: string) => string): Generator<string> {
  return piecesOf(value, {
    // Members of a document, of its plan, of the hosts there, and of one host.
    depth: 4,
    breakAt: lineBreak,
    members: Object.entries,
    name: (name) => `${visibleInJson(JSON.stringify(name))}: `,
    // A line break within a text is not one in its JSON.
    whole: (one, depth) => visibleInJson(JSON.stringify(mapStrings(one, change), null, step).replaceAll('\n', lineBreak(depth))),
  })
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
