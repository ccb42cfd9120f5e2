import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PassingReader } from '../../src/transports/remote/passing-reader.ts'

const nonce = 'f00d'

test('bytes between the marks are handed on, wherever the stream is cut and however like a mark they are', () => {
  const piece = fc.constantFrom(nonce, `${nonce}e`, `${nonce}e1`, 'e0', 'f', '\0', 'ÿ', `${nonce}x`)
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(20), { maxLength: 20 }), (pieces, cuts) => {
      const content = Buffer.from(`${pieces.join('')}|`)
      const stream = Buffer.concat([Buffer.from(`hello${nonce}b;`), content, Buffer.from(`${nonce}e7t;after`)])
      const given: Buffer[] = []
      const reader = new PassingReader(nonce, (bytes) => given.push(Buffer.from(bytes)))
      let at = 0
      for (const cut of [...cuts, stream.length]) {
        reader.feed(stream.subarray(at, at + cut))
        at += cut
      }
      expect(Buffer.concat(given).toString()).toBe(content.toString())
      expect(given.every(({ length }) => length > 0)).toBe(true)
      expect(reader.end).toEqual({ exitCode: 7, why: 't' })
      expect(reader.frame().before.toString()).toBe('hello')
      expect(reader.frame().output.length).toBe(0)
    }),
  )
})

test('nothing is held but what may be a mark', () => {
  let given = 0
  const reader = new PassingReader(nonce, ({ length }) => (given += length))
  reader.feed(Buffer.from(`${nonce}b;`))
  reader.feed(Buffer.alloc(1_000_000))
  expect(1_000_000 - given).toBeLessThan(nonce.length + 1)
  expect(reader.bytes).toBe(`${nonce}b;`.length)
})
