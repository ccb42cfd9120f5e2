import { InternalError } from '../errors/converge-error.ts'
import type { Approval as WrittenApproval, Play as WrittenPlay } from '../generated/playbook-file.ts'
import { validatePlaybook } from '../generated/validators.js'
import { defined } from '../lib/defined.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Approval, BatchSize, Play } from '../model/playbook.ts'
import { checkAllValues } from './check-values.ts'
import { findValue } from './find-value.ts'
import { hasErrors, sortIssues } from './issues.ts'
import type { ParsedFile } from './parse.ts'
import { checkShape } from './schema.ts'
import { issueAbout, issueAt, sourceRef } from './source-text.ts'
import { plainValue, type YamlNode } from './yaml-node.ts'

export interface PlaybookReading {
  /** Undefined if one of the issues is an error. */
  readonly plays: readonly Play[] | undefined
  readonly issues: readonly InventoryIssue[]
}

/** A parsed playbook → plays with all defaults, or all its issues. */
export function readPlaybook(file: ParsedFile): PlaybookReading {
  const { root } = file
  if (root === undefined) return { plays: undefined, issues: file.issues.length > 0 ? file.issues : [emptyPlaybook(file)] }
  if (hasErrors(file.issues)) return { plays: undefined, issues: file.issues }
  const issues = sortIssues([...file.issues, ...checkList(root, file), ...checkAllValues(root)])
  if (hasErrors(issues)) return { plays: undefined, issues }
  return { plays: toPlays(root), issues }
}

function emptyPlaybook(file: ParsedFile): InventoryIssue {
  return issueAbout(file.source.file, 'error', 'INPUT.MISSING', 'The playbook is empty. It is a list of plays: `- hosts: all`.')
}

function checkList(root: YamlNode, file: ParsedFile): readonly InventoryIssue[] {
  if (root.type === 'list' && root.items.length === 0) return [emptyPlaybook(file)]
  const plays = root.type === 'list' ? root.items : []
  return [...checkShape(root, validatePlaybook), ...plays.flatMap(checkFormerName)]
}

/** In version 0.1, `approvals` was called `consents`. */
function checkFormerName(play: YamlNode): readonly InventoryIssue[] {
  const former = play.type === 'map' ? play.entries.get('consents') : undefined
  if (former === undefined) return []
  return play.type === 'map' && play.entries.has('approvals')
    ? [
        issueAt(
          former.key,
          'error',
          'INPUT.CONFLICT',
          '`approvals` and `consents` are two names of one list. Move all entries to `approvals`.',
        ),
      ]
    : [issueAt(former.key, 'warning', 'INPUT.DEPRECATED', '`consents` is now called `approvals`. Rename it; both mean the same.')]
}

function toPlays(root: YamlNode): readonly Play[] {
  const written = plainValue(root)
  if (!isPlayList(written)) throw new InternalError('a playbook that fits the schema is not a list')
  return written.map((play, index) => toPlay(play, findValue(root, [String(index)]).node))
}

/** The schema has checked the items. */
function isPlayList(value: unknown): value is readonly WrittenPlay[] {
  return Array.isArray(value)
}

function toPlay(written: WrittenPlay, node: YamlNode): Play {
  const serial = written.serial === undefined ? undefined : [written.serial].flat().map(toBatchSize)
  const list = written.approvals === undefined ? 'consents' : 'approvals'
  return {
    name: written.name ?? written.hosts,
    hosts: written.hosts,
    services: [written.services ?? '*'].flat(),
    ...defined({ serial }),
    maxFailPercentage: written.max_fail_percentage ?? 0,
    ...(written.max_fail_percentage === undefined ? {} : { limitsFailures: true }),
    verify: written.verify ?? 'smoke',
    ...defined({ maxSlowdown: written.max_slowdown }),
    approvals: (written[list] ?? []).map((approval, index) => toApproval(approval, findValue(node, [list, String(index)]).node)),
  }
}

function toBatchSize(written: number | string): BatchSize {
  return typeof written === 'number' ? { count: written } : { percent: Number(written.replace('%', '')) }
}

function toApproval(written: WrittenApproval, node: YamlNode): Approval {
  const { code, service, host, reason, until } = written
  return {
    code,
    service,
    ...defined({ host }),
    reason,
    ...defined({ until }),
    origin: sourceRef(node),
  }
}
