import { defined } from '../lib/defined.ts'
import type { ApprovalUsed, StepEnded } from '../model/journal.ts'
import type { Step } from '../model/step.ts'
import { type AuditEntry, type AuditLine, auditLine, auditPath } from './audit-log.ts'
import type { Journal } from './journal.ts'
import type { StepFailure } from './step-failure.ts'

/** What a step belongs to. */
export interface StepPlace {
  readonly service: string
  /** Id of its action; absent for what is remembered after the proof. */
  readonly action?: string
}

/** A run on one host, as it is written down there. */
export interface RunOnHost {
  readonly runId: string
  readonly owner: string
  readonly controller: string
  readonly version: string
  readonly host: string
  /** Converge's folder on the host. */
  readonly root: string
  /** Said when a dead lock was taken over. */
  readonly takenOver?: string
  /** Those that concern the host. */
  readonly approvals: readonly ApprovalUsed[]
}

/** Writes down the steps of a run on one host, each before it is sent and after it ended: on the controller, and by its own script there. */
export interface StepJournal {
  /**
   * @param best what is put back is put back whether or not it can be written down: half a rollback is the worst of all states
   * @returns what the step's script writes down and what to call with its end, or why the step must not be sent
   */
  intend(
    step: Pick<Step, 'label' | 'record'>,
    place: StepPlace,
    best: { readonly effort: boolean },
  ): Promise<Intent | StepFailure>
  /**
   * What is still to be written down on the host when all is done there.
   *
   * @param settled services that were left in order
   * @param proving that nobody waits any more for a proof; otherwise the next run takes it up, as it does after a run that died
   */
  lastWords(settled: readonly string[], proving: 'over' | 'cut-off'): LastWords
}

export interface Intent {
  readonly audit: AuditEntry
  ended(failure: StepFailure | undefined): void
}

export interface LastWords {
  readonly log: string
  readonly lines: readonly AuditLine[]
}

export function createStepJournal(journal: Journal, run: RunOnHost): StepJournal {
  const { runId, host, root } = run
  const log = auditPath(root)
  let first = firstLines(journal, run)
  return {
    async intend({ label, record }, place, { effort }) {
      const n = journal.nextStep()
      const undo = effort ? { undo: true as const } : {}
      try {
        await journal.write({ event: 'step-intended', host, n, ...place, step: label, ...defined({ record }), ...undo })
      } catch (error) {
        if (!effort)
          return { kind: 'not-journalled', at: 'controller', said: error instanceof Error ? error.message : String(error) }
      }
      const step = journal.redact(label)
      const audit = {
        log,
        first,
        intent: auditLine(runId, { event: 'step-intended', n, ...place, step, ...undo }),
        result: auditLine(runId, { event: 'step-ended', n }),
        must: !effort,
      }
      return {
        audit,
        ended: (failure) => {
          if (!effort && wasWrittenDown(failure)) first = []
          journal.tell({ event: 'step-ended', host, n, outcome: outcomeOf(failure) })
        },
      }
    },
    lastWords: (settled, proving) => ({
      log,
      lines: [
        ...first,
        ...settled.map((service) => auditLine(runId, { event: 'service-settled', service })),
        ...(proving === 'over' ? [auditLine(runId, { event: 'run-ended' })] : []),
      ],
    }),
  }
}

/** Sent until they are known to have arrived; who reads them twice knows no more than before. */
function firstLines(
  journal: Journal,
  { runId, owner, controller, version, takenOver, approvals }: RunOnHost,
): readonly AuditLine[] {
  return [
    auditLine(runId, { event: 'run-begun', owner, controller, version }),
    ...(takenOver === undefined ? [] : [auditLine(runId, { event: 'lock-taken-over', note: journal.redact(takenOver) })]),
    ...approvals.map(({ code, service = '', reason, until }) =>
      auditLine(runId, {
        event: 'consent-used',
        code,
        service,
        reason: journal.redact(reason),
        ...defined({ until }),
      }),
    ),
  ]
}

function wasWrittenDown(failure: StepFailure | undefined): boolean {
  return failure === undefined || failure.kind === 'exit' || failure.kind === 'file'
}

function outcomeOf(failure: StepFailure | undefined): StepEnded['outcome'] {
  if (failure === undefined) return 'done'
  if (failure.kind === 'in-doubt') return 'in-doubt'
  return failure.kind === 'exit' || failure.kind === 'not-in-time' ? 'failed' : 'not-done'
}
