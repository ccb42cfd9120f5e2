import type { DriftDocument } from '../model/drift.ts'
import type { KeptRun } from '../model/kept-run.ts'
import type { Plan } from '../model/plan.ts'
import type { RunReport } from '../model/report.ts'
import { renderDrift } from './drift-text.ts'
import type { Result } from './index.ts'
import type { Paint } from './paint.ts'
import { renderPlan } from './plan-text.ts'
import { renderRun } from './run-text.ts'

/** A run of the past in every form in which it could have been told then. */
export function keptResult({ document, overview }: KeptRun): Result {
  return { document, prose: true, text: (paint) => textOf(document, paint), overview: () => overview }
}

/** By the name of its schema; a document of a kind that is not known (any more) is shown as it is. */
function textOf(document: unknown, paint: Paint): string {
  const schema = typeof document === 'object' && document !== null && 'schema' in document ? document.schema : undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote it; its schema says what it is
  if (schema === 'converge/plan/v1') return renderPlan(document as Plan, { paint, verbose: false })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  if (schema === 'converge/report/v1') return renderRun(document as RunReport, paint)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  if (schema === 'converge/drift/v1') return renderDrift(document as DriftDocument, paint)
  return `${JSON.stringify(document, null, 2)}\n`
}
