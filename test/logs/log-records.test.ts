import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LogRecord, LogRecords } from '../../src/logs/log-records.ts'

function recordsIn(stream: Buffer, cuts: readonly number[] = []): readonly LogRecord[] {
  const records = new LogRecords(3)
  const found: LogRecord[] = []
  let at = 0
  for (const cut of [...cuts, stream.length]) {
    found.push(...records.feed(stream.subarray(at, at + cut)))
    at += cut
  }
  return found
}

test('records of several sources are put together, wherever the stream is split', () => {
  const stream = Buffer.from('0-gr\n1|other\n.\n0|ün\n2?there is none\n2!may not\n1>cut\n')
  const expected = [
    { source: 1, kind: 'line', text: 'other' },
    { source: 0, kind: 'line', text: 'grün' },
    { source: 2, kind: 'missing', text: 'there is none' },
    { source: 2, kind: 'unreadable', text: 'may not' },
    { source: 1, kind: 'line', text: 'cut… (cut)' },
  ]
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 30 }), (cuts) => {
      expect(recordsIn(stream, cuts)).toEqual(expected)
    }),
  )
})

test('what no script of converge wrote is left out, and holds no memory', () => {
  expect(recordsIn(Buffer.from('3|no such source\nx\n|\n-1|x\n0\n'))).toEqual([])
  const endless = new LogRecords(1)
  for (let at = 0; at < 100; at++) expect(endless.feed(Buffer.alloc(100_000, 'x'))).toEqual([])
  expect(endless.feed(Buffer.from('\n0|then\n'))).toEqual([{ source: 0, kind: 'line', text: 'then' }])
  const never = new LogRecords(1)
  for (let at = 0; at < 1000; at++) never.feed(Buffer.from(`0-${'y'.repeat(400)}\n`))
  expect(never.feed(Buffer.from('0|\n'))[0]?.text.length).toBeLessThan(17_000)
})
