import type { DiskFact } from '../model/disk-fact.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords } from './fact.ts'

const anywhere = `
last=
for asked in "$@"; do
  case $asked in disk=*) expand "\${asked#disk=}" ;; *) continue ;; esac
  place=$path
  while [ -n "$place" ] && [ ! -e "$place" ]; do place=\${place%/*}; done
  if [ "\${place:-/}" != "$last" ]; then
    last=\${place:-/}
    words=$(limit 10 df -Pk "$last" 2>&1)
    status=$?
  fi
  printf 'path %s\\nended %s\\n%s\\n' "$path" "$status" "$words"
done
`

/** Free and total space of the file system that holds a path, or would hold it. */
export const disks: Fact<Readonly<Record<string, Observed<DiskFact>>>> = {
  section: { name: 'disks', sh: { linux: anywhere, macos: anywhere }, limitS: 20 },
  parse: (section, { question }) => byAsked(section, question.disks, { strange: strangeDisk, read: readDisk }),
}

function strangeDisk(lines: readonly string[]): Unknown | undefined {
  const ends = lines.flatMap((line, index) => (line.startsWith('ended ') ? [index] : []))
  return ends.length === 1 && /^ended \d{1,3}$/.test(lines[1] ?? '')
    ? undefined
    : unknown('unreadable', 'the exit status of df is missing')
}

function readDisk(lines: readonly string[]): Observed<DiskFact> {
  if (lines[1] === 'ended 137') return unknown('timed-out', 'df did not answer')
  const rows = parseDf(lines.slice(2).join('\n'))
  const row = rows[0]
  if (rows.length > 1) return unknown('unreadable', 'df lists more than one file system')
  if (row === undefined || row.freeBytes > row.totalBytes) return unknown('unreadable', firstWords(lines.slice(2).join('\n')))
  return known({ freeBytes: row.freeBytes, totalBytes: row.totalBytes, source: row.source, mount: row.mount })
}

export interface DfRow {
  readonly source: string
  readonly totalBytes: number
  readonly usedBytes: number
  readonly freeBytes: number
  readonly mount: string
}

/**
 * Rows of `df`. The header gives the unit (`512-blocks`, `1024-blocks`, `1K-blocks`) and shows whether inode columns follow, as on macOS
 * without `-P`. Source and mount point may contain blanks.
 */
export function parseDf(text: string): readonly DfRow[] {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.startsWith('Filesystem'))
  const header = lines[at] ?? ''
  const unit = /\b512-blocks\b/.test(header) ? 512 : /\b(1024-blocks|1K-blocks)\b/.test(header) ? 1024 : undefined
  if (at < 0 || unit === undefined) return []
  const shape = /\biused\b/.test(header)
    ? /^(\S+(?:\s+\S+)*?)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(?:\d+%|-)\s+\d+\s+\d+\s+(?:\d+%|-)\s+(\/.*)$/
    : /^(\S+(?:\s+\S+)*?)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(?:\d+%|-)\s+(\/.*)$/
  return lines.slice(at + 1).flatMap((line) => {
    const match = shape.exec(line)
    if (match === null) return []
    const [, source = '', total, used, free, mount = ''] = match
    return [
      {
        source,
        totalBytes: Number(total) * unit,
        usedBytes: Number(used) * unit,
        freeBytes: Math.max(0, Number(free)) * unit,
        mount,
      },
    ]
  })
}
