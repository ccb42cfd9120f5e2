import type { Journal } from '../../src/apply/journal.ts'
import type { RunOnHost } from '../../src/apply/step-journal.ts'
import type { JournalEvent } from '../../src/model/journal.ts'

export interface MemoryJournal extends Journal {
  readonly events: readonly JournalEvent[]
}

/** A journal that only remembers. `fails`: the events that cannot be written. */
export function memoryJournal(fails: (event: JournalEvent) => boolean = () => false): MemoryJournal {
  const events: JournalEvent[] = []
  let steps = 0
  const write = async (event: JournalEvent): Promise<void> => {
    if (fails(event)) throw new Error('ENOSPC: no space left on device, write')
    events.push(event)
  }
  return {
    events,
    write,
    record: (event) => {
      write(event).catch(() => undefined)
    },
    nextStep: () => (steps += 1),
    redact: (text) => text,
  }
}

/** A run as it is written down on a host. */
export function runOn(host: string, root: string, more: Partial<RunOnHost> = {}): RunOnHost {
  return { runId: 'run-1', owner: 'op', controller: 'laptop', version: '0.0.0', host, root, approvals: [], ...more }
}
