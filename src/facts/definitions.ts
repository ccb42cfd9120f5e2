import type { DefinitionFile } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, strangeOrder } from './fact.ts'
import { absence, digestIn, fileRecord, statOf, strangeState } from './file-record.ts'

const look = (content: string) => `
ask_about definition describe "$@"
described=$rows
ask_about definition digest "$@"
for asked in "$@"; do
  case $asked in definition=*) expand "\${asked#definition=}" ;; *) continue ;; esac
  look_file "$path"
  printf 'path %s\\nstate %s\\n' "$path" "$state"
  [ "$state" = there ] || continue
  row_of "$path" "$described"
  if [ -n "$row" ]; then printf '%s\\n' "$row"; fi
  row_of "$path" "$rows"
  printf 'digest '
  if [ -n "$row" ]; then printf '%s -\\n' "$row"; else (digest <"$path") || echo; fi
  ${content}
done
`

/**
 * The drop-ins of a unit follow it, each line with a plus, after a line with the file's path: systemd reads both. One that cannot be read in full
 * is left out.
 */
const linux = `
drop_ins() {
  for dropin in /usr/lib/systemd/system/"$1".d/*.conf /run/systemd/system/"$1".d/*.conf /etc/systemd/system/"$1".d/*.conf; do
    if [ ! -f "$dropin" ] || [ ! -r "$dropin" ] || [ "$(wc -c <"$dropin")" -gt 65536 ]; then continue; fi
    printf '+# %s\\n' "$dropin"
    awk '{ print "+" $0 }' "$dropin"
  done
}
${look(`show_redacted "$path" || return
  case $path in
  /etc/systemd/system/*.service)
    for folder in /usr/lib /run /etc; do
      if [ -d "$folder/systemd/system/\${path##*/}.d" ]; then drop_ins "\${path##*/}" | awk "$redactor" && break; fi
    done
    ;;
  esac`)}`

/** A binary property list is shown as XML; the digest is that of the original bytes. */
const macos = look(`IFS= read -r first <"$path"
  case $first in
  bplist*) plutil -convert xml1 -o - "$path" | show_redacted || return ;;
  *) show_redacted "$path" || return ;;
  esac`)

/** Definitions on disk, with keys redacted on the host, and the digest of their original bytes. */
export const definitions: Fact<Readonly<Record<string, Observed<DefinitionFile | null>>>> = {
  section: { name: 'definitions', sh: { linux, macos } },
  parse: (section, { question }) => byAsked(section, question.definitions, { strange: strangeDefinition, read: readDefinition }),
}

const ownershipLine = /^[ \t]*(?:#|<!--|"\$comment": ")[ \t]*converge: managed (com\.[A-Za-z0-9][\w.-]*)/m

/** `show` prints an empty line behind the content. */
function strangeDefinition(lines: readonly string[]): Unknown | undefined {
  return strangeState(lines) ?? strangeOrder(lines, /^path state (stat )?(digest )?(\| )*(_ )?(\+ )*$/)
}

function readDefinition(lines: readonly string[]): Observed<DefinitionFile | null> {
  const record = fileRecord(lines)
  const missing = absence(record)
  if (missing !== undefined) return missing
  const stat = statOf(record)
  const digest = digestIn(record.get('digest'))
  if (stat === undefined || digest === undefined) return unknown('unreadable', `${record.get('path')} could not be read in full`)
  const content = textBehind('|', lines)
  const overlay = textBehind('+', lines)
  return known({
    path: record.get('path') ?? '',
    digest,
    content,
    mode: stat.mode,
    owner: stat.owner,
    mark: ownershipLine.exec(content)?.[1] ?? null,
    modifiedAt: stat.modifiedAt,
    ...(overlay === '' ? {} : { overlay }),
  })
}

function textBehind(sign: '|' | '+', lines: readonly string[]): string {
  return lines
    .filter((line) => line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}
