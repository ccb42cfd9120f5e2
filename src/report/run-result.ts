import type { RunReport } from '../model/report.ts'
import type { Result } from './index.ts'
import { overviewOfRun } from './overview-of-run.ts'
import { withResumeAsNext } from './resume-commands.ts'
import { renderRun } from './run-text.ts'

/** A run in all formats. */
export function runResult(run: RunReport): Result {
  const report = withResumeAsNext(run)
  return {
    document: report,
    text: (paint) => renderRun(report, paint),
    overview: (around) => overviewOfRun(report, around),
  }
}
