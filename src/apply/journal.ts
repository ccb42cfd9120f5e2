import { mapStrings } from '../lib/map-strings.ts'
import type { JournalEntry, JournalEvent } from '../model/journal.ts'

/** Where a run records what it does. The engine knows only this interface; tests pass an in-memory one. */
export interface Journal {
  /** Resolves when the event is on disk. Rejects when it could not be written; then the step it announces must not be sent. */
  write(event: JournalEvent): Promise<void>
  /** For events that have already happened; nothing waits for the write. */
  record(event: JournalEvent): void
  /** Numbers the steps of the run. */
  nextStep(): number
  /** Removes secrets from text that is recorded elsewhere. */
  redact(text: string): string
}

/** Where lines go. Each text is whole lines, on disk when its promise resolves. */
export interface JournalSink {
  append(text: string): Promise<void>
}

export interface JournalSettings {
  readonly now: () => Date
  /** Removes secrets from texts of people and hosts. */
  readonly redact: (text: string) => string
}

export interface FileJournal extends Journal {
  /** Resolves when all events are written, and says whether any were lost. */
  settled(): Promise<'whole' | 'gaps'>
}

/** Members with converge's own names, which later runs look up. Redacting a secret that equals part of one would break the lookup. */
const ourNames: ReadonlySet<string> = new Set(
  (
    'event at run_id continues inventory selection verb schema digest created_at until ' +
    'host service action id kind status code outcome undone name'
  ).split(' '),
)

/**
 * A journal over a file. Events that arrive during a write are written together afterwards, so a hundred hosts in parallel cost one
 * flush, not a hundred.
 */
export function createJournal(sink: JournalSink, { now, redact }: JournalSettings): FileJournal {
  let waiting: Line[] = []
  let writing: Promise<void> | undefined
  let gaps = false
  let steps = 0
  const drain = async (): Promise<void> => {
    for (;;) {
      const lines = waiting
      waiting = []
      if (lines.length === 0) break
      try {
        await sink.append(lines.map(({ text }) => text).join(''))
        for (const { resolve } of lines) resolve()
      } catch (error) {
        gaps = true
        for (const { reject } of lines) reject(error)
      }
    }
    writing = undefined
  }
  const write = (event: JournalEvent): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ text: lineOf({ ...event, at: now().toISOString() }, redact), resolve, reject })
    writing ??= drain()
    return promise
  }
  const record = (event: JournalEvent): void => {
    write(event).catch(() => undefined)
  }
  const settled = async () => {
    await writing
    return gaps ? 'gaps' : 'whole'
  }
  return { write, record, nextStep: () => (steps += 1), redact, settled }
}

interface Line {
  readonly text: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function lineOf({ event, at, ...rest }: JournalEntry, redact: (text: string) => string): string {
  return `${JSON.stringify(mapStrings({ event, at, ...rest }, redact, ourNames))}\n`
}
