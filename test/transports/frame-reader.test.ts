import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameReader } from '../../src/transports/remote/frame-reader.ts'

const nonce = '0123456789abcdef'

/** The same bytes in pieces, cut at these places. */
function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

function read(chunks: readonly Buffer[]): FrameReader {
  const reader = new FrameReader(nonce)
  for (const chunk of chunks) reader.feed(chunk)
  return reader
}

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
const cuts = fc.array(fc.nat(1000), { maxLength: 12 })

describe('a frame', () => {
  test('is read the same however its bytes arrive', () => {
    const exitCode = fc.nat(255)
    const why = fc.constantFrom('', 't', 'a')
    fc.assert(
      fc.property(bytes, bytes, bytes, exitCode, why, cuts, (before, output, after, code, reason, at) => {
        const all = Buffer.concat([before, Buffer.from(`${nonce}b;`), output, Buffer.from(`${nonce}e${code}${reason};`), after])
        const reader = read(pieces(all, at))
        expect(reader.frame()).toEqual({ before, output, end: { exitCode: code, why: reason } })
      }),
    )
  })

  test('without an end holds everything since its beginning', () => {
    fc.assert(
      fc.property(bytes, bytes, cuts, (before, output, at) => {
        const reader = read(pieces(Buffer.concat([before, Buffer.from(`${nonce}b;`), output]), at))
        expect(reader.frame()).toEqual({ before, output })
      }),
    )
  })

  test('that never begins is all noise', () => {
    const reader = read([Buffer.from('This account is '), Buffer.from('not available.\n')])
    expect(reader.begun).toBe(false)
    expect(reader.frame().before.toString()).toBe('This account is not available.\n')
  })

  test('is not ended by something that only looks like an end', () => {
    const reader = read([Buffer.from(`${nonce}b;x ${nonce}e y ${nonce}`)])
    expect(reader.end).toBeUndefined()
  })
})
