import type { KeyFile } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, strangeOrder } from './fact.ts'
import { absence, digestIn, fileRecord, statOf, strangeState } from './file-record.ts'

const anywhere = `
ask_about keyfile describe "$@"
for asked in "$@"; do
  case $asked in keyfile=*) expand "\${asked#keyfile=}" ;; *) continue ;; esac
  look_file "$path"
  printf 'path %s\\nstate %s\\n' "$path" "$state"
  [ "$state" = there ] || continue
  row_of "$path" "$rows"
  if [ -n "$row" ]; then printf '%s\\n' "$row"; fi
  printf 'digest '
  { printf %s "$salt" && exec cat "$path"; } | digest || echo
done
`

/** Key files: never their content, only a digest that this run alone can compare. */
export const keyFiles: Fact<Readonly<Record<string, Observed<KeyFile | null>>>> = {
  section: { name: 'keyfiles', sh: { linux: anywhere, macos: anywhere } },
  parse: (section, { question }) => byAsked(section, question.keyFiles, { strange: strangeKeyFile, read: readKeyFile }),
}

function strangeKeyFile(lines: readonly string[]): Unknown | undefined {
  return strangeState(lines) ?? strangeOrder(lines, /^path state (stat )?(digest )?$/)
}

function readKeyFile(lines: readonly string[]): Observed<KeyFile | null> {
  const record = fileRecord(lines)
  const missing = absence(record)
  if (missing !== undefined) return missing
  const stat = statOf(record)
  const saltedDigest = digestIn(record.get('digest'))
  const path = record.get('path') ?? ''
  if (stat === undefined || saltedDigest === undefined) return unknown('unreadable', `${path} could not be read in full`)
  return known({ path, saltedDigest, mode: stat.mode, owner: stat.owner, modifiedAt: stat.modifiedAt })
}
