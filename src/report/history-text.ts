import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import type { HistoryLine, HistoryRow, KeptRun } from '../model/kept-run.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

const tones: ReadonlyMap<string, PaintStyle> = new Map(
  Object.entries({ good: 'green', pending: 'cyan', doubt: 'yellow', foreign: 'magenta', blocked: 'red', bad: 'red' } as const),
)

/** Characters for the names of hosts; the others are counted. */
const widestHosts = 26
const widestOwner = 12

interface Row {
  readonly columns: readonly string[]
  readonly outcome: string
  readonly style: PaintStyle | undefined
  /** Undefined: its file does not have it. */
  readonly inventory: string | undefined
}

/** A table for each inventory, the newest run first, with the outcome of each run below it. The path of an inventory is too long for a column. */
export function renderHistory(entries: readonly HistoryRow[], paint: Paint): string {
  if (entries.length === 0) return 'No run has a report on this machine yet.\n'
  return [...Map.groupBy(entries.map(rowOf), ({ inventory }) => inventory)]
    .map(([inventory, rows]) => `${paint(['bold'], inventory ?? 'unreadable')}\n${tableOf(rows, paint)}`)
    .join('\n')
}

function tableOf(rows: readonly Row[], paint: Paint): string {
  const head = ['run', 'when', 'verb', 'exit', 'who', 'hosts'].map((one) => paint(['dim'], one))
  // One line per run, whatever its file contains.
  const cells = rows.map(({ columns }) => columns.map((one) => one.replace(/\s+/g, ' ')))
  const [first = '', ...lines] = renderTable(head, cells, paint).trimEnd().split('\n')
  const body = rows.map(({ outcome, style }, index) => {
    return `${lines[index] ?? ''}\n  ${style === undefined ? outcome : paint([style], outcome)}`
  })
  return [first, ...body, ''].join('\n')
}

function rowOf(entry: HistoryRow): Row {
  const { run_id: id } = entry
  if ('unreadable' in entry) {
    const columns = [id, '?', '?', '?', '?', '?']
    return { columns, outcome: `unreadable: ${entry.unreadable}`, style: 'yellow', inventory: undefined }
  }
  const { verb, inventory, owner } = entry
  const who = shortened(owner ?? '-', widestOwner)
  const hosts = hostsInWords(entry.hosts ?? [])
  if ('begun_at' in entry) {
    const columns = [id, minute(entry.begun_at), verb, '-', who, hosts]
    return { columns, outcome: 'no end recorded: killed, or still running', style: 'yellow', inventory }
  }
  const { at, exit_code, headline, tone } = entry
  const columns = [id, minute(at), verb, String(exit_code), who, hosts]
  return { columns, outcome: headline, style: tones.get(tone ?? ''), inventory }
}

/** What the list shows of a report; an edited file can have anything for its hosts and tone. */
export function lineOf({ run_id, verb, owner, at, inventory, exit_code, overview }: KeptRun): HistoryLine {
  const { headline } = overview
  const [tone, hosts]: unknown[] = [overview.tone, overview.hosts]
  const names = Array.isArray(hosts) ? hosts.flatMap((one: unknown) => nameOf(one)) : []
  return {
    run_id,
    verb,
    at,
    inventory,
    ...defined({ owner }),
    exit_code,
    hosts: names,
    headline,
    ...(typeof tone === 'string' ? { tone } : {}),
  }
}

function nameOf(host: unknown): readonly string[] {
  return isObject(host) && typeof host['host'] === 'string' ? [host['host']] : []
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

/** `2026-11-01 08:15Z`; other texts stay as they are. */
function minute(at: string): string {
  return at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2Z')
}
