import { isObject } from '../lib/json-object.ts'
import type { HistoryEntry } from '../model/kept-run.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

const tones: ReadonlyMap<string, PaintStyle> = new Map(
  Object.entries({ good: 'green', pending: 'cyan', doubt: 'yellow', foreign: 'magenta', blocked: 'red', bad: 'red' } as const),
)

/** Of the names of hosts in one line; the rest is counted. */
const widestHosts = 26
const widestOwner = 12

interface Row {
  readonly columns: readonly string[]
  readonly outcome: string
  readonly style: PaintStyle | undefined
  /** Undefined: its file says nothing. */
  readonly inventory: string | undefined
}

/** A table for each inventory, the newest run first; below each run how it ended. An inventory has no column, for its path is what is longest. */
export function renderHistory(entries: readonly HistoryEntry[], paint: Paint): string {
  if (entries.length === 0) return 'No run has left a report on this machine yet.\n'
  return [...Map.groupBy(entries.map(rowOf), ({ inventory }) => inventory)]
    .map(([inventory, rows]) => `${paint(['bold'], inventory ?? 'not readable')}\n${tableOf(rows, paint)}`)
    .join('\n')
}

function tableOf(rows: readonly Row[], paint: Paint): string {
  const head = ['run', 'when', 'verb', 'exit', 'who', 'hosts'].map((one) => paint(['dim'], one))
  // One line per run, whatever its file contains.
  const cells = rows.map(({ columns }) => columns.map((one) => one.replace(/\s+/g, ' ')))
  const [first = '', ...lines] = renderTable(head, cells, paint).trimEnd().split('\n')
  const told = rows.map(({ outcome, style }, index) => {
    return `${lines[index] ?? ''}\n  ${style === undefined ? outcome : paint([style], outcome)}`
  })
  return [first, ...told, ''].join('\n')
}

function rowOf(entry: HistoryEntry): Row {
  const { run_id: id } = entry
  if ('unreadable' in entry) {
    const columns = [id, '?', '?', '?', '?', '?']
    return { columns, outcome: `cannot be read: ${entry.unreadable}`, style: 'yellow', inventory: undefined }
  }
  const { verb, inventory, owner } = entry
  const who = shortened(owner ?? '-', widestOwner)
  const hosts = hostsInWords(hostsIn(entry))
  if ('begun_at' in entry) {
    const columns = [id, minute(entry.begun_at), verb, '-', who, hosts]
    return { columns, outcome: 'has no end: it was killed, or is at work', style: 'yellow', inventory }
  }
  const { at, exit_code, overview } = entry
  const columns = [id, minute(at), verb, String(exit_code), who, hosts]
  return { columns, outcome: overview.headline, style: tones.get(overview.tone), inventory }
}

/** Names of the hosts that a run was about; a file that somebody edited may say anything there. */
export function hostsIn(entry: HistoryEntry): readonly string[] {
  if ('unreadable' in entry) return []
  if ('begun_at' in entry) return entry.hosts ?? []
  const hosts: unknown = entry.overview.hosts
  if (!Array.isArray(hosts)) return []
  return hosts.flatMap((one: unknown) => (isObject(one) && typeof one['host'] === 'string' ? [one['host']] : []))
}

/** `nas, box +14`. */
function hostsInWords(names: readonly string[]): string {
  if (names.length === 0) return '-'
  const shown: string[] = []
  for (const name of names) {
    const more = names.length - shown.length - 1
    const words = [...shown, name].join(', ') + (more > 0 ? ` +${more}` : '')
    if (shown.length > 0 && words.length > widestHosts) break
    shown.push(shortened(name, widestHosts - 5))
  }
  const left = names.length - shown.length
  return shown.join(', ') + (left > 0 ? ` +${left}` : '')
}

function shortened(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`
}

/** `2026-11-01 08:15Z`; what is no time of day in UTC stays as it is. */
function minute(at: string): string {
  return at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2Z')
}
