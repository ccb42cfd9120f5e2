import { mapStrings } from '../lib/map-strings.ts'
import type { Result } from '../report/index.ts'
import { safeOverview } from '../report/safe-overview.ts'
import { type Delivery, deliver, overviewOf } from './deliver.ts'
import type { ExitCode } from './exit-code.ts'
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
  await deliver({ ...delivery, quiet }, result)
}
