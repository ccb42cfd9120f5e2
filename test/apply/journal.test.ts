import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createJournal, type JournalSink } from '../../src/apply/journal.ts'
import { createRedactor } from '../../src/lib/redactor.ts'
import { Secret } from '../../src/model/secret.ts'

const now = () => new Date('2026-11-01T09:00:00Z')
const intended = (n: number, step = 'write it') => ({ event: 'step-intended', host: 'nas', n, service: 'coder', step }) as const

/** Takes its time, and remembers what was written together. */
function slowSink(): JournalSink & { readonly written: readonly string[] } {
  const written: string[] = []
  return {
    written,
    append: async (text) => {
      await turn()
      written.push(text)
    },
  }
}

describe('the journal of a run', () => {
  it('is one line of JSON for each event, in their order', async () => {
    const sink = slowSink()
    const journal = createJournal(sink, { now, redact: (text) => text })
    await journal.write(intended(1, 'two\nlines'))
    journal.record({ event: 'step-ended', host: 'nas', n: 1, outcome: 'done' })
    expect(await journal.settled()).toBe('whole')
    const lines = sink.written.join('').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: '2026-11-01T09:00:00.000Z', ...intended(1, 'two\nlines') },
      { at: '2026-11-01T09:00:00.000Z', event: 'step-ended', host: 'nas', n: 1, outcome: 'done' },
    ])
  })

  it('writes together what comes meanwhile', async () => {
    const sink = slowSink()
    const journal = createJournal(sink, { now, redact: (text) => text })
    await Promise.all(Array.from({ length: 100 }, (_, n) => journal.write(intended(n))))
    expect(sink.written.map((text) => text.split('\n').length - 1)).toEqual([1, 99])
  })

  it('reports of each event whether it was written, and continues when the disk has room again', async () => {
    let full = false
    const written: string[] = []
    const append = async (text: string) => {
      if (full) throw new Error('ENOSPC')
      written.push(text)
    }
    const journal = createJournal({ append }, { now, redact: (text) => text })
    await journal.write(intended(1))
    full = true
    await expect(journal.write(intended(2))).rejects.toThrow('ENOSPC')
    journal.record(intended(3))
    expect(await journal.settled()).toBe('gaps')
    full = false
    await journal.write(intended(4))
    expect(written.map((text) => JSON.parse(text).n)).toEqual([1, 4])
  })

  it('holds no secret, and the names by which it is read again stay what they are', async () => {
    const sink = slowSink()
    const redactor = createRedactor((secret) => secret.reveal())
    redactor.learn(new Secret('coder', 'a test'))
    const journal = createJournal(sink, { now, redact: (text) => redactor.redact(text) })
    await journal.write(intended(1, 'write coder down'))
    expect(sink.written.map((text) => JSON.parse(text))).toMatchObject([{ service: 'coder', step: 'write *** down' }])
  })
})
