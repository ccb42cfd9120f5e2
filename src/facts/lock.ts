import type { LockHolder } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection } from './fact.ts'
import { parseObject } from './json-object.ts'

/** Any file of the lock may be its heartbeat: the youngest tells when its holder was last alive. */
const anywhere = `
look "$root/lock"
if [ "$state" = there ] && { [ ! -d "$root/lock" ] || [ ! -r "$root/lock" ] || [ ! -x "$root/lock" ]; }; then state=hidden; fi
printf 'state %s\\n' "$state"
[ "$state" = there ] || return 0
printf 'now %s\\n' "$(date +%s)"
describe "$root/lock"
for file in "$root"/lock/*; do
  if [ -f "$file" ]; then describe "$file"; fi
done
for file in "$root"/lock/owner "$root"/lock/owner.json; do
  if [ -f "$file" ] && [ -r "$file" ]; then show "$file"; fi
done
:
`

/** Who holds the lock on the host. A lock without a readable owner is held by somebody who is not told. */
export const lock: Fact<Observed<LockHolder | null>> = {
  section: { name: 'lock', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readLock),
}

function readLock(text: string): Observed<LockHolder | null> {
  const lines = linesOf(text)
  if (lines[0] === 'state absent') return known(null)
  if (lines[0] !== 'state there') return unknown('not-permitted', 'the lock may not be read')
  const now = Number(valuesOf(lines, 'now')[0])
  const changed = valuesOf(lines, 'stat').map((value) => Number(value.split(' ')[1]))
  const ageS = Math.max(0, now - Math.max(...changed))
  if (!Number.isFinite(ageS)) return unknown('unreadable', 'the age of the lock could not be told')
  const owner = readOwner(
    lines
      .filter((line) => line.startsWith('|'))
      .map((line) => line.slice(1))
      .join('\n'),
  )
  return known({ owner: owner('owner'), controller: owner('controller'), runId: owner('runId'), ageS })
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}

/** The owner file is JSON; one that was only just being written leaves its fields untold. */
function readOwner(text: string): (field: string) => string {
  const fields = parseObject(text) ?? {}
  return (field) => {
    const value = fields[field]
    return typeof value === 'string' ? value : 'not told'
  }
}
