import type { DiskFact } from '../model/disk-fact.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords } from './fact.ts'

/**
 * One `df` for all places; where that fails, hangs, or prints other than a header and one line for each, every place is asked for by itself.
 */
const anywhere = `
line_break='
'
# place_of PATH: sets $place to what is there of it
place_of() {
  expand "$1"
  place=$path
  while [ -n "$place" ] && [ ! -e "$place" ]; do place=\${place%/*}; done
  place=\${place:-/}
}
# ask_at_once ASKED…: sets $rows to the header and one line for each place
ask_at_once() {
  last='' count=$#
  for asked in "$@"; do
    case $asked in disk=*) place_of "\${asked#disk=}" ;; *) continue ;; esac
    if [ "$place" != "$last" ]; then set -- "$@" "$place"; fi
    last=$place
  done
  shift "$count"
  if [ $# -lt 2 ]; then return 1; fi
  rows=$(limit_last 4 df -Pk "$@" 2>&1) || return
  count=$#
  IFS=$line_break
  set -f
  # shellcheck disable=SC2086 # one word for each line
  set -- $rows
  set +f
  unset IFS
  [ $# = $((count + 1)) ]
}
ask_at_once "$@" || rows=
header=\${rows%%"$line_break"*}
last=
for asked in "$@"; do
  case $asked in disk=*) place_of "\${asked#disk=}" ;; *) continue ;; esac
  if [ "$place" != "$last" ]; then
    last=$place
    if [ -n "$rows" ]; then
      rows=\${rows#*"$line_break"}
      words=$header$line_break\${rows%%"$line_break"*} status=0
    else
      words=$(limit_last 10 df -Pk "$last" 2>&1)
      status=$?
    fi
  fi
  printf 'path %s\\nended %s\\n%s\\n' "$path" "$status" "$words"
done
`

/** Free and total space of the file system that holds a path, or would hold it. */
export const disks: Fact<Readonly<Record<string, Observed<DiskFact>>>> = {
  section: { name: 'disks', sh: { linux: anywhere, macos: anywhere }, limitS: 20, about: ['disk='] },
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
