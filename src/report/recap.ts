import type { Paint, PaintStyle } from './paint.ts'

/** One count of a recap: `ok=3`. */
export interface RecapColumn {
  readonly name: string
  /** As in Ansible: green as wanted, yellow changed, red refused or failed; cyan does not colour the host. */
  readonly style: PaintStyle
  /** Shown even if no host has a count. */
  readonly always?: true
}

export interface RecapLine {
  readonly host: string
  /** By the name of the column; absent: 0. */
  readonly counts: Readonly<Partial<Record<string, number>>>
}

/** In larger fleets, hosts that are ok are only counted. */
const mostLines = 40

/**
 * `nas : ok=2  update=1  refused=0`: a line for each host, as at the end of an Ansible play. It has the columns in which any host has a count,
 * or else the first.
 *
 * @param columns in the order in which they are shown
 */
export function renderRecap(lines: readonly RecapLine[], columns: readonly RecapColumn[], paint: Paint): string {
  const shown = lines.length > mostLines ? lines.filter((line) => styleOf(line, columns) !== 'green') : lines
  const counted = columns.filter(({ name, always }) => always === true || shown.some(({ counts }) => (counts[name] ?? 0) > 0))
  const used = counted.length === 0 ? columns.slice(0, 1) : counted
  const width = Math.max(...shown.map(({ host }) => host.length))
  const widths = used.map(({ name }) => Math.max(...shown.map((line) => cell(line, name).length)))
  const rows = shown.map((line) => {
    const cells = used.map(({ name, style }, index) => {
      const text = cell(line, name)
      const gap = ' '.repeat((widths[index] ?? 0) - text.length)
      return `${paint([(line.counts[name] ?? 0) > 0 ? style : 'dim'], text)}${gap}`
    })
    const host = paint([styleOf(line, columns)], line.host.padEnd(width))
    return `${host} : ${paint.hang}${cells.join('  ').trimEnd()}`
  })
  const more = lines.length - shown.length
  const rest =
    more === 0 ? [] : [paint(['dim'], `${more}${shown.length === 0 ? '' : ' more'} ${more === 1 ? 'host is' : 'hosts are'} ok`)]
  return [paint(['bold'], 'RECAP'), ...rows, ...rest].join('\n')
}

function cell({ counts }: RecapLine, name: string): string {
  return `${name}=${counts[name] ?? 0}`
}

const gravest: readonly PaintStyle[] = ['red', 'magenta', 'yellow']

/** The worst of what is counted there. */
function styleOf({ counts }: RecapLine, columns: readonly RecapColumn[]): PaintStyle {
  const styles = new Set(columns.filter(({ name }) => (counts[name] ?? 0) > 0).map(({ style }) => style))
  return gravest.find((style) => styles.has(style)) ?? 'green'
}
