import { parseObject } from '../lib/json-object.ts'
import type { LockHolder } from '../model/lock-lease.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, saysOnly, strangeOrder } from './fact.ts'

/** As `apply/lock-scripts.ts` leaves it: `owner` is JSON, `beat` the host's own time of the last sign of life. */
const anywhere = `
look "$root/lock"
if [ "$state" = there ] && { [ ! -d "$root/lock" ] || [ ! -r "$root/lock" ] || [ ! -x "$root/lock" ]; }; then state=hidden; fi
printf 'state %s\\n' "$state"
[ "$state" = there ] || return 0
printf 'now %s\\n' "$(date +%s)"
describe "$root/lock"
if [ -r "$root/lock/beat" ]; then
  read -r beat <"$root/lock/beat"
  printf 'beat %s\\n' "$beat"
fi
if [ -f "$root/lock/owner" ] && [ -r "$root/lock/owner" ]; then show "$root/lock/owner"; fi
:
`

/** Who holds the lock on the host. A lock without a readable owner is held by somebody who is not told. */
export const lock: Fact<Observed<LockHolder | null>> = {
  section: { name: 'lock', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readLock),
}

/** Seconds that a beat may be ahead of the clock it was taken from. */
const aheadS = 5

function readLock(text: string): Observed<LockHolder | null> {
  const lines = linesOf(text)
  if (saysOnly(lines, 'state absent')) return known(null)
  if (lines[0] === 'state hidden') return unknown('not-permitted', 'the lock may not be read')
  if (lines[0] !== 'state there') return unknown('unreadable', 'whether there is a lock could not be read')
  // A sign of life that was lost makes a lock look dead.
  const strange = strangeOrder(lines, /^state now (stat )?(beat )?(\| )*(_ )?$/)
  if (strange !== undefined) return strange
  const now = Number(valuesOf(lines, 'now')[0])
  const beat = Number(valuesOf(lines, 'beat').find((value) => /^\d+$/.test(value)) ?? Number.NaN)
  const made = Number(valuesOf(lines, 'stat')[0]?.split(' ')[1])
  // A beat ahead of the clock (it was set back) says nothing, as for who takes the lock; the folder's own date has to do.
  const ageS = Math.max(0, now - (beat - now <= aheadS ? beat : made))
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
