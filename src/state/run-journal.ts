import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { createJournal, type FileJournal, type Journal } from '../apply/journal.ts'
import { openJournalFile } from '../apply/journal-file.ts'
import type { Context } from '../context/context.ts'
import type { ExitCode } from '../context/exit-code.ts'
import { version } from '../context/version.ts'
import { defined } from '../lib/defined.ts'
import type { Emit, RunEvent } from '../model/event.ts'
import { approvalsUsed, type JournalEvent, type RunBegun, type RunEnded, type RunSelection } from '../model/journal.ts'
import type { ApprovedPlan } from '../model/plan.ts'
import type { Approval } from '../model/playbook.ts'
import { withoutSteps } from '../plan/without-steps.ts'
import { forgetOldJournals } from './journal-retention.ts'
import { thisProcess } from './process-identity.ts'
import { openStateFolder, unusable } from './state-folder.ts'

/** The content of the first lines of a journal. */
export interface RunToWrite extends Pick<RunBegun, 'run_id' | 'verb' | 'continues' | 'owner' | 'controller' | 'pid' | 'shard'> {
  readonly selection: RunSelection
  readonly approvals: readonly Approval[]
  readonly plan: ApprovedPlan
}

/** The journal of a run. Closed when it goes out of scope; a journal without `end` is that of a killed run. */
export interface RunJournal extends Journal, AsyncDisposable {
  /** Records the results of actions and smoke tests. */
  readonly hear: Emit
  end(exit: ExitCode, secondPlan: readonly string[] | undefined): Promise<void>
}

/**
 * Creates the journal of a run and records its plan. Nothing may be sent to a host before.
 *
 * @throws ConvergeError `STATE.UNUSABLE`
 */
export async function beginJournal(context: Context, run: RunToWrite): Promise<RunJournal> {
  const path = join(await openStateFolder(context, 'runs'), `${run.run_id}.ndjson`)
  await using opened = new AsyncDisposableStack()
  try {
    const file = opened.use(await openJournalFile(path))
    const journal = createJournal(file, { now: context.now, redact: (text) => context.redactor.redact(text) })
    const { plan } = run
    const first: readonly JournalEvent[] = [
      await begun(run),
      { event: 'run-planned', plan: withoutSteps(plan) },
      ...approvalsUsed(plan),
    ]
    await Promise.all(first.map((event) => journal.write(event)))
    await forgetOldJournals(context)
    const owned = opened.move()
    return {
      ...journal,
      hear: (event) => hear(journal, event),
      end: (exit, second) => end(context, journal, { event: 'run-ended', exit_code: exit, ...secondPlanOf(second) }),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  } catch (error) {
    throw unusable(path, error)
  }
}

async function begun({ selection, plan, approvals, ...run }: RunToWrite): Promise<RunBegun> {
  const { run_id, verb, continues, owner, controller, pid, shard } = run
  const identity = await thisProcess()
  return {
    event: 'run-begun',
    format: 1,
    run_id,
    verb,
    ...defined({ continues }),
    converge: version,
    owner,
    controller,
    pid,
    ...defined({ process: identity }),
    inventory: { path: await realpath(plan.inventory.path), digest: plan.inventory.digest },
    selection,
    ...defined({ shard }),
    consents: approvals.map(({ code, service, host, reason }) => ({
      code,
      service,
      ...defined({ host }),
      reason,
    })),
  }
}

function secondPlanOf(second: readonly string[] | undefined): Pick<RunEnded, 'second_plan'> {
  return defined({ second_plan: second })
}

function hear(journal: Journal, event: RunEvent): void {
  if (event.type === 'action-finished') journal.record({ event: 'action-ended', host: event.host, result: event.result })
  if (event.type === 'smoke-finished') journal.record({ event: 'service-proved', host: event.host, result: event.result })
}

async function end({ err }: Context, journal: FileJournal, event: RunEnded): Promise<void> {
  journal.record(event)
  if ((await journal.settled()) === 'gaps')
    err.writeProse('\nThe journal of this run has gaps: some entries could not be written. The report is complete.\n')
}
