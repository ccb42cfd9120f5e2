import { defined } from '../lib/defined.ts'
import type { ExecutableFact } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, complaint, endedByLimit, type Fact, strangeLine, strangeOrder } from './fact.ts'
import { absence, fileRecord, strangeState } from './file-record.ts'
import { stampsIn } from './file-stamp.ts'
import { flagsInHelp } from './help-flags.ts'

/**
 * Asks each program once for its version and its help, without input and with a timeout of a few seconds: one that starts a server
 * instead is killed. Under `sudo` it runs as the login account: a file that this account can write must not run as root.
 */
const anywhere = `
ask() {
  if [ "$uid" != 0 ] || [ -z "\${SUDO_UID:-}" ] || [ "$SUDO_UID" = 0 ]; then
    limit 5 "$@"
  elif has setpriv; then
    limit 5 setpriv --reuid "$SUDO_UID" --regid "$SUDO_GID" --init-groups "$@"
  else
    limit 5 sudo -n -u "#$SUDO_UID" -- "$@"
  fi
}
ask_version() {
  { ask "$@" --version 2>&1 </dev/null; printf '\\n@ended %s\\n' "$?"; } | sed -e 's/^/version /' -e 20q
}
ask_help() {
  { ask "$@" --help 2>&1 </dev/null; printf '\\n@ended %s\\n' "$?"; } |
    sed -n -e 's/^[[:space:]]*[-[].*/|&/p' -e 's/^usage.*/|&/p' -e 's/^@ended /ended /p'
}
with='' words=''
for asked in "$@"; do
  case $asked in
  with=*)
    with=\${asked#with=}
    continue
    ;;
  word=*)
    words="$words \${asked#word=}"
    continue
    ;;
  exe=* | server=*) expand "\${asked#*=}" ;;
  *) continue ;;
  esac
  interpreter=$with help=$words
  with='' words=''
  look "$path"
  if [ "$state" = there ] && [ ! -f "$path" ]; then state=unreadable; fi
  printf 'path %s\\nstate %s\\n' "$path" "$state"
  [ "$state" = there ] || continue
  stamp "$path"
  if [ -x "$path" ]; then echo 'may yes'; elif [ -z "$interpreter" ]; then continue; fi
  case $asked in
  server=*)
    ask_version \${interpreter:+"$interpreter"} "$path"
    # shellcheck disable=SC2086 # one or more words
    ask_help \${interpreter:+"$interpreter"} "$path" $help
    ;;
  esac
done
`

/** Executables the services need: whether they exist and are executable, and what servers report about themselves. */
export const executables: Fact<Readonly<Record<string, Observed<ExecutableFact | null>>>> = {
  section: { name: 'executables', sh: { linux: anywhere, macos: anywhere }, limitS: 60, about: ['exe=', 'server='] },
  parse: (section, { question }) => byAsked(section, question.executables, { strange: strangeExecutable, read: readExecutable }),
}

const shape = /^(path |state |file (\d+ ){4}\S+ \/.*$|(folder|link) \d+ \/.*$|may yes$|version |\||ended \d+$)/
const order = /^path state (file )?(folder )?(link ){0,100}(may )?(version )*(\| )*(ended )?$/

function strangeExecutable(lines: readonly string[]): Unknown | undefined {
  return strangeState(lines) ?? strangeLine(lines, shape) ?? strangeOrder(lines, order)
}

function readExecutable(lines: readonly string[]): Observed<ExecutableFact | null> {
  const record = fileRecord(lines)
  const missing = absence(record)
  if (missing !== undefined) return missing
  const version = versionIn(lines)
  const path = record.get('path') ?? ''
  const file = stampsIn(lines).get(path)
  return known({
    path,
    executable: record.get('may') === 'yes',
    ...defined({ file, version }),
    flags: flagsIn(lines, record.get('ended')),
  })
}

/**
 * `version: 6123 (0abc)` among the noise of a GPU back end, else the first line. A traceback, a usage error or the output of a
 * program that was killed is no version.
 */
function versionIn(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => line.startsWith('version ')).map((line) => line.slice('version '.length).trim())
  if (said.some((line) => line === '@ended 137' || line === '@ended 124')) return undefined
  const words = said.filter((line) => !line.startsWith('@ended '))
  const best = words.find((line) => /\bversion:?\s/i.test(line)) ?? words.find((line) => line !== '')
  if (best === undefined || /^(traceback|usage|error)|error:/i.test(best)) return undefined
  return best.replace(/^.*\bversion:?\s+/i, '').slice(0, 100)
}

function flagsIn(lines: readonly string[], ended: string | undefined): Observed<readonly string[]> {
  if (ended === undefined) return unknown('not-gathered', 'its help was not requested')
  const flags = flagsInHelp(lines.filter((line) => line.startsWith('|')).map((line) => line.slice(1)))
  if (endedByLimit(Number(ended))) return unknown('timed-out', 'it did not answer --help')
  if (flags.length > 0) return known(flags)
  return complaint({ status: Number(ended), stderr: 'its help lists no flags' })
}
