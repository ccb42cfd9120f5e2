import { stringify } from 'yaml'
import { globOf } from '../lib/glob.ts'
import type { DriftDocument } from '../model/drift.ts'

/** The initial words of every proposed entry. */
export interface IgnoreWords {
  readonly reason: string
  readonly owner: string
  /** ISO 8601 with its time zone. */
  readonly until: string
}

/**
 * Entries for `drift_ignore` in `group_vars/all.yaml`: one for each finding except pending changes, which should be applied.
 */
export function proposedIgnores({ hosts }: DriftDocument, words: IgnoreWords): string {
  const entries = hosts.flatMap(({ host, findings }) =>
    findings
      .filter((one) => one.class !== 'pending')
      .map(({ service, field }) => ({ host: globOf(host), service: globOf(service), field: globOf(field), ...words })),
  )
  const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]))
  if (distinct.size === 0) return '# There are no findings to ignore.\n'
  return `# Put this below \`fleet:\` in group_vars/all.yaml, and correct the reasons.\n${stringify({ drift_ignore: [...distinct.values()] }, { lineWidth: 0 })}`
}
