import { cutAround } from '../inventory/source-text.ts'
import type { Excerpt, InventoryIssue } from '../model/issue.ts'
import type { Paint } from '../report/paint.ts'

/** Limits of issues at once, per kind and in total. */
const mostOfOneSort = 5
const mostShown = 40

/**
 * Issues for people: position, message, and the line itself.
 *
 *     inventories/home/hosts.yaml:7:5
 *       `prot` is not a key of a service. Did you mean `port`?
 *
 *       > 7 |     prot: 9990
 *           |     ^^^^
 */
export async function renderIssues(issues: readonly InventoryIssue[], { paint, columns }: Page): Promise<string> {
  const { codeFrameColumns } = await import('@babel/code-frame')
  const frame = (excerpt: Excerpt): string => {
    const { firstLine, lines, from, to } = fitted(excerpt, columns)
    const line = firstLine + lines.length - 1
    const marked = { start: { line, column: from }, end: { line, column: to } }
    return paint.whole(codeFrameColumns(lines.join('\n'), marked, { startLine: firstLine, linesAbove: 1, linesBelow: 0 }))
  }
  const { shown, left } = choose(issues)
  const rest = left.map(([message, count]) => `… and ${count} more of the same: ${message}`)
  return [...shown.map((issue) => renderIssue(issue, frame)), ...rest].join('\n\n')
}

/** The output device. */
interface Page {
  readonly paint: Paint
  /** Undefined: unlimited. */
  readonly columns?: number | undefined
}

/** The marker only fits below its target if no line wraps: long lines are cut around it. */
function fitted(excerpt: Excerpt, columns = Infinity): Excerpt {
  const { firstLine, lines } = excerpt
  const room = columns - `  > ${firstLine + lines.length - 1} | `.length
  return lines.every((line) => line.length <= room) ? excerpt : cutAround(excerpt, Math.max(room - 2, least))
}

/** Less of a line is useless. */
const least = 20

interface Choice {
  readonly shown: readonly InventoryIssue[]
  /** Number of omitted ones per message. */
  readonly left: readonly (readonly [string, number])[]
}

function choose(issues: readonly InventoryIssue[]): Choice {
  const shown: InventoryIssue[] = []
  const counts = new Map<string, number>()
  const left = new Map<string, number>()
  for (const issue of issues) {
    const count = (counts.get(issue.message) ?? 0) + 1
    counts.set(issue.message, count)
    if (count <= mostOfOneSort && shown.length < mostShown) shown.push(issue)
    else left.set(issue.message, (left.get(issue.message) ?? 0) + 1)
  }
  return { shown, left: shortened(left) }
}

function shortened(left: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const all = [...left]
  const others = all.slice(mostOfOneSort).reduce((sum, [, count]) => sum + count, 0)
  return others === 0 ? all : [...all.slice(0, mostOfOneSort), ['other mistakes.', others]]
}

function renderIssue(issue: InventoryIssue, frame: (excerpt: Excerpt) => string): string {
  const { file, line, column } = issue.at
  const isWhole = issue.excerpt === undefined && line === 1 && column === 1
  const where = isWhole ? file : `${file}:${line}:${column}`
  const head = issue.severity === 'warning' ? `${where}  (warning)` : where
  const lines = issue.excerpt === undefined ? [] : ['', ...frame(issue.excerpt).split('\n')]
  return [head, `  ${issue.message}`, ...lines.map((text) => (text === '' ? text : `  ${text}`))].join('\n')
}
