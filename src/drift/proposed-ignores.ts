import { stringify } from 'yaml'
import { globOf } from '../lib/glob.ts'
import type { DriftDocument } from '../model/drift.ts'

/** What every proposed entry says until somebody says it better. */
export interface IgnoreWords {
  readonly reason: string
  readonly owner: string
  /** ISO 8601 with its time zone. */
  readonly until: string
}

/**
 * Entries for `drift_ignore`, as they can be put into `group_vars/all.yaml`: one for each finding that is no pending change, which is
 * to be applied and not to be ignored.
 */
export function proposedIgnores({ hosts }: DriftDocument, words: IgnoreWords): string {
  const entries = hosts.flatMap(({ host, findings }) =>
    findings
      .filter((one) => one.class !== 'pending')
      .map(({ service, field }) => ({ host: globOf(host), service: globOf(service), field: globOf(field), ...words })),
  )
  const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]))
  if (distinct.size === 0) return '# Nothing was found that could be ignored.\n'
  return `# Below \`fleet:\` in group_vars/all.yaml, after the reasons were put right.\n${stringify({ drift_ignore: [...distinct.values()] }, { lineWidth: 0 })}`
}
