import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { HostReport } from '../model/report.ts'
import { isHostOk, noteOf, nothingRun, provedServices, settledServicesOf, wasCutOff } from './host-report.ts'
import { openSession, runSession } from './host-session.ts'
import { type HostTask, hasWork, type RunContext } from './host-task.ts'
import type { HostLock } from './lock.ts'
import { interruptedBefore, problemOf } from './run-actions.ts'
import { type ClosingEntries, createStepJournal, type StepJournal } from './step-journal.ts'
import { waitForLock } from './wait-for-lock.ts'

/**
 * Locks, plans again, acts, proves, records, unlocks. Does nothing for a host without work. Never throws for what happens on the host: it
 * is in the report.
 */
export async function runHost(task: HostTask, level: VerifyLevel, run: RunContext): Promise<HostReport> {
  if (!hasWork(task)) return { host: task.host, reachable: true, actions: [], smoke: [] }
  run.emit({ type: 'host-started', host: task.host })
  const report = await underLock(task, level, run)
  const ok = isHostOk(report)
  const problem = report.problem ?? report.actions.find((result) => result.problem !== undefined)?.problem
  run.emit({ type: 'host-finished', host: task.host, ok, note: noteOf(report), ...defined({ problem }) })
  return report
}

async function underLock(task: HostTask, level: VerifyLevel, run: RunContext): Promise<HostReport> {
  const { host, transport, root } = task
  if (run.signal.aborted) return nothingRun(task, interruptedBefore)
  let lock: HostLock
  try {
    const note = (text: string) => run.emit({ type: 'host-note', host, note: text })
    lock = await waitForLock({ ...run, transport, root, token: run.nonce() }, { timeoutMs: run.lockTimeoutMs ?? 0, note })
  } catch (error) {
    if (run.signal.aborted && !(error instanceof ConvergeError)) return nothingRun(task, interruptedBefore)
    return nothingRun(task, 'the lock of the host could not be taken', problemOf(host, error))
  }
  if (lock.note !== undefined) run.emit({ type: 'host-note', host, note: lock.note })
  let last: ClosingEntries | undefined
  try {
    const journal = journalOn(task, run, lock)
    const report = await runSession(openSession(task, level, run, { lock, journal }))
    last = journal.closingEntries(
      [...settledServicesOf(task, report), ...provedServices(report)],
      wasCutOff(report) ? 'cut-off' : 'over',
    )
    return report
  } finally {
    // No failure of the run: a lock that could not be released expires.
    const problem = await lock.release(last)
    if (problem !== undefined) run.emit({ type: 'host-note', host, note: `${problem.summary} ${problem.why}` })
  }
}

function journalOn({ host, root, approvals = [] }: HostTask, run: RunContext, { note }: HostLock): StepJournal {
  const { runId, version, owner, controller, shard } = run
  const takenOver = defined({ takenOver: note })
  return createStepJournal(run.journal, {
    runId,
    version,
    owner,
    controller,
    host,
    root,
    ...takenOver,
    approvals,
    ...defined({ shard }),
  })
}
