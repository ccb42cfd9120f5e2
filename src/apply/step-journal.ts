import type { StepEnded } from '../model/journal.ts'
import type { Journal } from './journal.ts'
import type { StepFailure } from './step-failure.ts'

/** What a step belongs to. */
export interface StepPlace {
  readonly service: string
  /** Id of its action; absent for what is remembered after the proof. */
  readonly action?: string
}

/** Writes down the steps of a run on one host, each before it is sent and after it ended. */
export interface StepJournal {
  /**
   * @param best what is put back is put back whether or not it can be written down: half a way back is the worst of all states
   * @returns what to call with the step's end, or why the step must not be sent
   */
  intend(label: string, place: StepPlace, best: { readonly effort: boolean }): Promise<Intent | StepFailure>
}

export interface Intent {
  ended(failure: StepFailure | undefined): Promise<void>
}

export function createStepJournal(journal: Journal, host: string): StepJournal {
  return {
    async intend(label, place, { effort }) {
      const n = journal.nextStep()
      try {
        const undo = effort ? { undo: true as const } : {}
        await journal.write({ event: 'step-intended', host, n, ...place, step: label, ...undo })
      } catch (error) {
        if (!effort) return { kind: 'not-journalled', why: error instanceof Error ? error.message : String(error) }
      }
      return {
        ended: async (failure) => journal.tell({ event: 'step-ended', host, n, outcome: outcomeOf(failure) }),
      }
    },
  }
}

function outcomeOf(failure: StepFailure | undefined): StepEnded['outcome'] {
  if (failure === undefined) return 'done'
  if (failure.kind === 'in-doubt') return 'in-doubt'
  return failure.kind === 'exit' || failure.kind === 'not-in-time' ? 'failed' : 'not-done'
}
