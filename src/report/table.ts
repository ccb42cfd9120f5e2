import Table from 'cli-table3'
import type { Paint } from './paint.ts'

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** Columns without lines, aligned by their width on a terminal (wide characters, colours). The lines are not wrapped; the last ends with a newline. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const table = new Table({ chars: noBorders, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } })
  table.push([...head], ...rows.map((row) => [...row]))
  return `${table
    .toString()
    .split('\n')
    .map((line) => paint.whole(line.trimEnd()))
    .join('\n')}\n`
}
