import type { ConvergeError } from '../../src/errors/converge-error.ts'
import { renderIssues } from '../../src/load/render-issues.ts'
import { noPaint } from '../../src/report/paint.ts'

/** Why, as people read it: with the mistakes in files and the lines in which they are. */
export async function whyText({ why, issues }: ConvergeError): Promise<string> {
  return issues.length === 0 ? why : `${why}\n\n${await renderIssues(issues, { paint: noPaint })}\n`
}
