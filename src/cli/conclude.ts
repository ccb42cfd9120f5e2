import { ConvergeError } from '../errors/converge-error.ts'
import { mapStrings } from '../lib/map-strings.ts'
import type { Result } from '../report/index.ts'
import { renderProblem } from '../report/problem-text.ts'
import { safeOverview } from '../report/safe-overview.ts'
import { type Delivery, deliver, overviewOf } from './deliver.ts'
import { type ExitCode, exitCodes } from './exit-code.ts'
import type { OpenFleet } from './open-fleet.ts'
import { keepRun } from './run-history.ts'

export interface Conclusion {
  readonly verb: string
  readonly run_id: string
  readonly exit: ExitCode
  /** Nothing of it goes to stdout; files are written nevertheless. */
  readonly quiet?: boolean
}

/** The end of a run: its report is kept, then written where it was asked for. */
export async function conclude(
  delivery: Delivery & { readonly open: OpenFleet },
  result: Result,
  { verb, run_id, exit, quiet = false }: Conclusion,
): Promise<void> {
  const { context, open } = delivery
  const redact = (text: string) => context.redactor.redact(text)
  await keepRun(context, {
    schema: 'converge/kept-run/v1',
    run_id,
    verb,
    at: context.now().toISOString(),
    inventory: open.fleet.path,
    exit_code: exit,
    overview: safeOverview(overviewOf(result, open), redact),
    document: mapStrings(result.document, redact),
  })
  try {
    await deliver({ ...delivery, quiet }, result)
  } catch (error) {
    // How the run ended says more than where it could not be written; one that ended well has nothing else to tell.
    if (!(error instanceof ConvergeError) || exit === exitCodes.done) throw error
    context.err.write(`${renderProblem(error.toProblem(), context.err.paint)}\n`)
  }
}
