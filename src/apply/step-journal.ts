import { defined } from '../lib/defined.ts'
import type { ApprovalUsed, StepEnded } from '../model/journal.ts'
import type { Step } from '../model/step.ts'
import { type AuditEntry, type AuditLine, auditLine, auditPath } from './audit-log.ts'
import type { Journal } from './journal.ts'
import type { StepFailure } from './step-failure.ts'

/** What a step belongs to. */
export interface StepSubject {
  readonly service: string
  /** Id of its action; absent for records written after the proof. */
  readonly action?: string
}

/** A run on one host, for the log there. */
export interface RunOnHost {
  readonly runId: string
  readonly owner: string
  readonly controller: string
  /** `3/8`, or `3/8 of nightly`; absent: the run is no shard. */
  readonly shard?: string
  readonly version: string
  readonly host: string
  /** Converge's folder on the host. */
  readonly root: string
  /** Present when a dead lock was taken over. */
  readonly takenOver?: string
  /** The approvals that concern the host. */
  readonly approvals: readonly ApprovalUsed[]
}

/** Journals the steps of a run on one host, before each is sent and after it ended: on the controller, and in the host's log. */
export interface StepJournal {
  /**
   * @param best with `effort`, a step is sent even if it cannot be journalled: half a rollback is the worst state
   * @returns the log entry for the step's script and a callback for its end, or why the step must not be sent
   */
  intend(
    step: Pick<Step, 'label' | 'record'>,
    subject: StepSubject,
    best: { readonly effort: boolean },
  ): Promise<Intent | StepFailure>
  /**
   * The entries to write on the host when all is done there.
   *
   * @param settled services that are in order
   * @param proving `over`: no proof is missing; otherwise the next run makes it, as it does after a run that died
   */
  closingEntries(settled: readonly string[], proving: 'over' | 'cut-off'): ClosingEntries
}

export interface Intent {
  readonly audit: AuditEntry
  ended(failure: StepFailure | undefined): void
}

export interface ClosingEntries {
  readonly log: string
  readonly lines: readonly AuditLine[]
}

export function createStepJournal(journal: Journal, run: RunOnHost): StepJournal {
  const { runId, host, root } = run
  const log = auditPath(root)
  let first = firstLines(journal, run)
  return {
    async intend({ label, record }, subject, { effort }) {
      const n = journal.nextStep()
      const undo = effort ? { undo: true as const } : {}
      try {
        await journal.write({ event: 'step-intended', host, n, ...subject, step: label, ...defined({ record }), ...undo })
      } catch (error) {
        if (!effort)
          return { kind: 'not-journalled', at: 'controller', said: error instanceof Error ? error.message : String(error) }
      }
      const step = journal.redact(label)
      const audit = {
        log,
        first,
        intent: auditLine(runId, { event: 'step-intended', n, ...subject, step, ...undo }),
        result: auditLine(runId, { event: 'step-ended', n }),
        must: !effort,
      }
      return {
        audit,
        ended: (failure) => {
          if (!effort && wasWrittenDown(failure)) first = []
          journal.record({ event: 'step-ended', host, n, outcome: outcomeOf(failure) })
        },
      }
    },
    closingEntries: (settled, proving) => ({
      log,
      lines: [
        ...first,
        ...settled.map((service) => auditLine(runId, { event: 'service-settled', service })),
        ...(proving === 'over' ? [auditLine(runId, { event: 'run-ended' })] : []),
      ],
    }),
  }
}

/** Sent until they are known to have arrived. Duplicates do no harm. */
function firstLines(
  journal: Journal,
  { runId, owner, controller, version, shard, takenOver, approvals }: RunOnHost,
): readonly AuditLine[] {
  return [
    auditLine(runId, { event: 'run-begun', owner, controller, version, ...defined({ shard }) }),
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
