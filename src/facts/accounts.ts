import type { AccountFact } from '../model/account-fact.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { complaint, type Fact, firstWords, linesOf, numberOf, readSection, strangeLine } from './fact.ts'

/**
 * Where an account has its home, and which of the asked files it can read or execute. Only root can try that as another account, with sudo,
 * by which it became root; everyone can try it for themselves.
 */
const macos = `
tried() {
  if [ "$uid" = 0 ]; then
    sudo -n -u "$name" /bin/sh -c "$try" sh "$@" 2>/dev/null
  elif [ "$name" = "$(id -un)" ]; then
    /bin/sh -c "$try" sh "$@" 2>/dev/null
  fi
}
try='
case $1 in
reads) if [ -r "$2" ] && { [ ! -d "$2" ] || [ -x "$2" ]; }; then echo yes; else echo no; fi ;;
runs) if [ -x "$2" ]; then echo yes; else echo no; fi ;;
esac'
for asked in "$@"; do
  case $asked in
  account=*)
    name=\${asked#account=}
    printf 'account %s\\n' "$name"
    if [ -z "$name" ]; then name=$user; fi
    answer_of 10 id -P "$name"
    case $status in
    0) printf '%s\\n' "$words" | awk -F: 'NF == 10 { printf "entry %s %s %s %s\\n", $1, $3, $4, $9 }' ;;
    *) printf '%s\\n' "$words" | head -n 1 | sed 's/^/failed /' ;;
    esac
    ;;
  reads=* | runs=*)
    path=\${asked#*=}
    if [ -e "$path" ]; then printf '%s %s %s\\n' "\${asked%%=*}" "$(tried "\${asked%%=*}" "$path")" "$path"; fi
    ;;
  esac
done
`

/** By the asked name, which is empty for the login account; a known null: there is no such account. */
export const accounts: Fact<Readonly<Record<string, Observed<AccountFact | null>>>> = {
  section: { name: 'accounts', sh: { macos }, limitS: 20, about: ['account='] },
  parse: (section, { question: { accounts: asked = [] } }) => {
    const seen = readSection(section, readAccounts)
    const answers = asked.map(({ account }) => [account, seen.known ? seen.value.get(account) : seen] as const)
    return Object.fromEntries(
      answers.map(([account, answer]) => [account, answer ?? unknown('unreadable', 'the host did not answer about it')]),
    )
  },
}

const shape = /^(account [\w.$-]*|entry \S+ \d+ \d+ \/.*|failed .*|(reads|runs) (yes|no|) \/.*)$/

function readAccounts(text: string): Observed<ReadonlyMap<string, Observed<AccountFact | null>>> {
  const lines = linesOf(text)
  const strange = strangeLine(lines, shape) ?? strangeLine(lines.slice(0, 1), /^account /)
  if (strange !== undefined) return strange
  const starts = lines.flatMap((line, index) => (line.startsWith('account ') ? [index] : []))
  const blocks = starts.map((start, index) => lines.slice(start, starts[index + 1]))
  return known(new Map(blocks.map((block) => [(block[0] ?? '').slice('account '.length), readAccount(block)])))
}

function readAccount(lines: readonly string[]): Observed<AccountFact | null> {
  const failed = lines.find((line) => line.startsWith('failed '))?.slice('failed '.length)
  if (failed !== undefined)
    return /no such user/i.test(failed) ? known(null) : complaint({ status: 1, stderr: firstWords(failed) ?? '' })
  const [, name = '', uid, home = ''] = /^entry (\S+) (\d+) \d+ (\/.*)$/.exec(lines[1] ?? '') ?? []
  const number = numberOf(uid, 'the user id')
  if (!number.known) return number
  const answered = lines.flatMap((line) => {
    const [, can, path] = /^(?:reads|runs) (yes|no) (\/.*)$/.exec(line) ?? []
    return can === undefined || path === undefined ? [] : [[path, can === 'yes'] as const]
  })
  return known({ name, uid: number.value, home, access: Object.fromEntries(answered) })
}
