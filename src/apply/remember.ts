import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { Problem } from '../model/plan.ts'
import type { Step } from '../model/step.ts'
import { describeFailure } from './describe-failure.ts'
import type { HostContext, ReadyAction } from './prepared-action.ts'
import { forgetStep, recordStep } from './record.ts'
import { runStep } from './run-step.ts'
import type { Stopwatch } from './stopwatch.ts'

/** Records on the host what was applied to each service, with its measured start times. */
export async function remember(
  task: { readonly host: string; readonly root: string },
  ready: readonly ReadyAction[],
  { context, watch }: { readonly context: HostContext; readonly watch: Stopwatch },
): Promise<Problem | undefined> {
  for (const one of ready) {
    const { action, record } = one
    if (record === undefined) continue
    const step: Step = record === null ? forgetStep(task.root, action.service) : recordStep(task.root, watch.noted(one, record))
    const subject = { service: action.service }
    const failure = await runStep(step, { ...context, written: { journal: context.journal, subject } })
    if (failure === undefined) continue
    const { why } = describeFailure(failure, { host: task.host, service: action.service, step: step.label })
    return new ConvergeError('APPLY.NOT_RECORDED', {
      summary: 'The service is up to date, but its record could not be written.',
      why,
      next: [converge(['plan', '--limit', task.host])],
    }).toProblem()
  }
  return undefined
}
