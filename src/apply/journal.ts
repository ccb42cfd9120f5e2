import { mapStrings } from '../lib/map-strings.ts'
import type { JournalEntry, JournalEvent } from '../model/journal.ts'

/** Where a run writes down what it does. The engine knows no more of it than this; tests pass one that only remembers. */
export interface Journal {
  /** Resolves when it is on disk; rejects when it could not be written, and what it announces must not be done then. */
  write(event: JournalEvent): Promise<void>
  /** For what has happened already, which nothing waits for. */
  tell(event: JournalEvent): void
  /** Numbers the steps of the run. */
  nextStep(): number
  /** What is written down elsewhere, without secrets as well. */
  redact(text: string): string
}

/** Where lines go: each text is whole lines, and on disk when its promise resolves. */
export interface JournalSink {
  append(text: string): Promise<void>
}

export interface JournalSettings {
  readonly now: () => Date
  /** Takes secrets out of the words of people and hosts. */
  readonly redact: (text: string) => string
}

export interface FileJournal extends Journal {
  /** Resolves when all that was told is written, with whether everything could be. */
  settled(): Promise<'whole' | 'gaps'>
}

/** Members that are names of ours, and what is looked for by them later; a secret that is a word of theirs would make them unfindable. */
const ourNames: ReadonlySet<string> = new Set(
  (
    'event at run_id continues inventory selection verb schema digest created_at until ' +
    'host service action id kind status code outcome undone name'
  ).split(' '),
)

/**
 * A journal over a file. What comes while something is being written is written together afterwards: a hundred hosts side by side cost
 * one flush, not a hundred.
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
  const tell = (event: JournalEvent): void => {
    write(event).catch(() => undefined)
  }
  const settled = async () => {
    await writing
    return gaps ? 'gaps' : 'whole'
  }
  return { write, tell, nextStep: () => (steps += 1), redact, settled }
}

interface Line {
  readonly text: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function lineOf({ event, at, ...rest }: JournalEntry, redact: (text: string) => string): string {
  return `${JSON.stringify(mapStrings({ event, at, ...rest }, redact, ourNames))}\n`
}
