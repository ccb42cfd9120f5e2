import type { Layout } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, numberOf, readSection, strangeLine } from './fact.ts'

const anywhere = `printf 'user %s\\nhome %s\\nuid %s\\nroot %s\\n' "$user" "$home" "$uid" "$root"`

const macos = `${anywhere}
if console=$(exec stat -f %Su /dev/console 2>/dev/null); then printf 'console %s\\n' "$console"; fi
:`

/** The account on the host, and converge's folder there. The probe's frame determines both for all sections. */
export const layout: Fact<Observed<Layout>> = {
  section: { name: 'layout', sh: { linux: anywhere, macos }, everywhere: true },
  parse: (section) => readSection(section, readLayout),
}

function readLayout(text: string): Observed<Layout> {
  const strange = strangeLine(linesOf(text), /^(user|home|uid|root|console) |^$/)
  if (strange !== undefined) return strange
  const fields = new Map(linesOf(text).map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]))
  const effectiveUid = numberOf(fields.get('uid'), 'the user id')
  if (!effectiveUid.known) return effectiveUid
  const { user = '', home = '', root = '', console: consoleUser } = Object.fromEntries(fields)
  if (!home.startsWith('/')) return unknown('unreadable', `the account ${user} has no home directory`)
  if (!root.startsWith('/')) return unknown('unreadable', `converge's folder on the host is not absolute: ${root}`)
  // The console belongs to root while no user is logged in, at the login window too.
  const console = consoleUser === undefined ? {} : { consoleUser: consoleUser === 'root' ? null : consoleUser }
  return known({ user, home, effectiveUid: effectiveUid.value, root, ...console })
}
