import { type PieceFormat, piecesOf } from './json-walk.ts'

/** JSON with keys sorted at every depth and without `undefined` members, so that equal values give equal text. */
export function stableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, member: unknown) => (isPlainObject(member) ? sortKeys(member) : member), indent)
}

const inPieces: PieceFormat = {
  // Members of a document, of its hosts, and of one host.
  depth: 3,
  breakAt: () => '',
  members: (object) => Object.entries(sortKeys({ ...object })),
  name: (name) => `${JSON.stringify(name)}:`,
  whole: (value) => stableJson(value),
}

/** The same text in pieces. */
export function stablePieces(value: unknown): Generator<string> {
  return piecesOf(value, inPieces)
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortKeys(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
