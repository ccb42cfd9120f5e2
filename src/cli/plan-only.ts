import type { Plan } from '../model/plan.ts'
import type { Consent } from '../model/playbook.ts'
import { checkConsents } from '../policy/approve.ts'
import type { Paint } from '../report/paint.ts'
import { renderPlan } from '../report/plan-text.ts'
import { deliver } from './deliver.ts'
import { type ExitCode, exitCodes, worstOf } from './exit-code.ts'
import { allConsents, hostsOf, makePlan, waitSeconds } from './make-plan.ts'
import { selectPlays } from './plays.ts'
import type { Run } from './run.ts'

export interface PlanOnly {
  readonly playbook: string | undefined
  readonly consents: readonly Consent[]
  readonly detailedExitcode: boolean
  /** Milliseconds; absent: nothing waits. */
  readonly waitIdle?: number | undefined
}

/** Looks, compares, prints. There is no code path from here to anything that writes; `test/architecture.test.ts` sees to that. */
export async function planOnly(run: Run, { playbook, consents, detailedExitcode, waitIdle }: PlanOnly): Promise<ExitCode> {
  const { context, flags } = run
  const plays = await selectPlays(context, run.open, playbook)
  const facts = await run.observe(hostsOf(run, plays), { keep: false, phase: 'gather' })
  const plan = makePlan(run, { plays, consents, ...waitSeconds(waitIdle) }, facts)
  await run.stopDisplay()
  checkConsents(plan, { consents: allConsents({ plays, consents }), now: plan.created_at })
  const text = (paint: Paint) => renderPlan(plan, { paint, verbose: flags.verbose === true })
  await deliver(context, flags, { document: plan, text, prose: true })
  return planExit(plan, detailedExitcode)
}

/** How a plan ends: refused, not reachable, and where it was asked for, changes pending. */
export function planExit({ summary }: Plan, detailed: boolean): ExitCode {
  return worstOf([
    ...(summary.refusals > 0 ? [exitCodes.refused] : []),
    ...(summary.unreachable > 0 ? [exitCodes.unreachable] : []),
    ...(detailed && summary.changes > 0 ? [exitCodes.changes] : []),
  ])
}
