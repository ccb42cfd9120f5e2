import * as fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/** The same characters as `unit: 'binary'` of fast-check, which first writes down a million of them: that takes a second in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), indexOf)

function indexOf(text: unknown): number {
  const point = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0
  if (String.fromCodePoint(point) !== text) throw new Error('it is not one character')
  return point < surrogates.first ? point : point - surrogates.count
}
