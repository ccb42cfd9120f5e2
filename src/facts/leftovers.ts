import { heldSuffix, previousSuffix, temporaryGlob } from '../model/beside.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, strangeLine } from './fact.ts'
import { fileRecord } from './file-record.ts'

const anywhere = `
for asked in "$@"; do
  case $asked in definition=* | keyfile=*) expand "\${asked#*=}" ;; *) continue ;; esac
  look "$path"
  folder=\${path%/*}
  if [ -d "$folder" ] && [ ! -r "$folder" ]; then state=hidden; fi
  printf 'path %s\\nstate %s\\n' "$path" "$state"
  for left in "$path${previousSuffix}" "$path${previousSuffix}.part" "$path${heldSuffix}" "$folder/.\${path##*/}"${temporaryGlob}; do
    if [ -f "$left" ]; then printf 'left %s\\n' "$left"; fi
  done
done
`

/**
 * Backup copies and partial files beside definitions and key files, left by a run that ended before it could remove them; by the asked
 * path that they lie beside.
 */
export const leftovers: Fact<Readonly<Record<string, Observed<readonly string[]>>>> = {
  section: { name: 'leftovers', sh: { linux: anywhere, macos: anywhere } },
  parse: (section, { question }) =>
    byAsked(section, [...question.definitions, ...question.keyFiles], { strange: strangeLeftovers, read: readLeftovers }),
}

/** Each must lie beside the asked path; others belong to another answer. */
function strangeLeftovers(lines: readonly string[]): Unknown | undefined {
  const path = (lines[0] ?? '').slice('path '.length)
  const at = path.lastIndexOf('/') + 1
  const [beside, hidden] = [`left ${path}.`, `left ${path.slice(0, at)}.${path.slice(at)}.`]
  const strange = lines.slice(2).find((line) => !line.startsWith(beside) && !line.startsWith(hidden))
  return strange === undefined ? undefined : strangeLine([strange], /^left $/)
}

function readLeftovers(lines: readonly string[]): Observed<readonly string[]> {
  const record = fileRecord(lines)
  if (record.get('state') === 'hidden') return unknown('not-permitted', `the folder of ${record.get('path')} is not readable`)
  if (!/^(there|absent)$/.test(record.get('state') ?? '')) return unknown('unreadable', 'its folder could not be listed')
  return known(lines.flatMap((line) => (line.startsWith('left ') ? [line.slice('left '.length)] : [])))
}
