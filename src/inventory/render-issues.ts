import type { Excerpt, InventoryIssue } from '../model/issue.ts'

/** More than this in one go helps nobody. */
const mostShown = 50

/**
 * Issues as people read them: where, what, and the line itself.
 *
 *     inventories/home/hosts.yaml:7:5
 *       `prot` is not a key of a service. Did you mean `port`?
 *
 *       > 7 |     prot: 9990
 *           |     ^^^^
 */
export async function renderIssues(issues: readonly InventoryIssue[]): Promise<string> {
  const { codeFrameColumns } = await import('@babel/code-frame')
  const frame = ({ firstLine, lines, from, to }: Excerpt): string => {
    const line = firstLine + lines.length - 1
    const marked = { start: { line, column: from }, end: { line, column: to } }
    return codeFrameColumns(lines.join('\n'), marked, { startLine: firstLine, linesAbove: 1, linesBelow: 0 })
  }
  const shown = issues.slice(0, mostShown).map((issue) => renderIssue(issue, frame))
  const rest = issues.length - shown.length
  return [...shown, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n\n')
}

function renderIssue(issue: InventoryIssue, frame: (excerpt: Excerpt) => string): string {
  const { file, line, column } = issue.at
  const where = issue.excerpt === undefined ? file : `${file}:${line}:${column}`
  const head = issue.severity === 'warning' ? `${where}  (warning)` : where
  const lines = issue.excerpt === undefined ? [] : ['', ...frame(issue.excerpt).split('\n')]
  return [head, `  ${issue.message}`, ...lines.map((text) => (text === '' ? text : `  ${text}`))].join('\n')
}
