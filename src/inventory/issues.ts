import type { ErrorCode } from '../errors/catalogue.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { issueAt, type SourceRange, sourceRef } from './source-text.ts'

/** A finding about a host. If it concerns several hosts, as with a group, it is reported once for all of them. */
export interface HostFinding {
  readonly host: string
  readonly range: SourceRange
  readonly severity: InventoryIssue['severity']
  readonly code: ErrorCode
  /** @param whom `` `studio` ``, or `` `studio` and 49 other hosts `` */
  readonly words: (whom: string) => string
}

export function gatherFindings(findings: readonly HostFinding[]): readonly InventoryIssue[] {
  const groups = new Map<string, HostFinding[]>()
  for (const finding of findings) {
    const { file, line, column } = sourceRef(finding.range)
    const id = [file, line, column, finding.code, finding.words('')].join('\0')
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [finding])
    else group.push(finding)
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const hosts = [...new Set(group.map((finding) => finding.host))]
    return [issueAt(first.range, first.severity, first.code, first.words(whom(hosts)))]
  })
}

function whom(hosts: readonly string[]): string {
  const [first = '', second = ''] = hosts
  if (hosts.length === 1) return `\`${first}\``
  if (hosts.length === 2) return `\`${first}\` and \`${second}\``
  return `\`${first}\` and ${hosts.length - 1} other hosts`
}

/** Sorts by file, line and column, without duplicates. A warning at the position of an error is dropped. */
export function sortIssues(issues: readonly InventoryIssue[]): readonly InventoryIssue[] {
  const wrong = new Set(issues.filter((issue) => issue.severity === 'error').map(positionId))
  const distinct = new Map(issues.map((issue) => [`${positionId(issue)}\0${issue.code}\0${issue.message}`, issue]))
  return [...distinct.values()]
    .filter((issue) => issue.severity === 'error' || !wrong.has(positionId(issue)))
    .toSorted((a, b) => compareText(a.at.file, b.at.file) || a.at.line - b.at.line || a.at.column - b.at.column)
}

function positionId(issue: InventoryIssue): string {
  return `${issue.at.file}\0${issue.at.line}\0${issue.at.column}`
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function hasErrors(issues: readonly InventoryIssue[]): boolean {
  return issues.some((issue) => issue.severity === 'error')
}
