import { parseObject } from '../lib/json-object.ts'
import type { LockHolder } from '../model/lock-lease.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, saysOnly, strangeOrder } from './fact.ts'

/** As `apply/lock-scripts.ts` writes it: `owner` is JSON, `beat` the time of the last heartbeat by the host's clock. */
const anywhere = `
look "$root/lock"
if [ "$state" = there ] && { [ ! -d "$root/lock" ] || [ ! -r "$root/lock" ] || [ ! -x "$root/lock" ]; }; then state=hidden; fi
printf 'state %s\\n' "$state"
[ "$state" = there ] || return 0
printf 'now %s\\n' "$(date +%s)"
(describe "$root/lock")
if [ -r "$root/lock/beat" ]; then
  read -r beat <"$root/lock/beat"
  printf 'beat %s\\n' "$beat"
fi
if [ -f "$root/lock/owner" ] && [ -r "$root/lock/owner" ]; then show "$root/lock/owner"; fi
:
`

/** The holder of the host's lock. Without a readable owner file the holder is unknown. */
export const lock: Fact<Observed<LockHolder | null>> = {
  section: { name: 'lock', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readLock),
}

/** Seconds that a heartbeat may be ahead of its own clock. */
const aheadS = 5

function readLock(text: string): Observed<LockHolder | null> {
  const lines = linesOf(text)
  if (saysOnly(lines, 'state absent')) return known(null)
  if (lines[0] === 'state hidden') return unknown('not-permitted', 'the lock is not readable')
  if (lines[0] !== 'state there') return unknown('unreadable', 'it is unclear whether there is a lock')
  // Without its heartbeat, a lock would look dead.
  const strange = strangeOrder(lines, /^state now (stat )?(beat )?(\| )*(_ )?$/)
  if (strange !== undefined) return strange
  const now = Number(valuesOf(lines, 'now')[0])
  const beat = Number(valuesOf(lines, 'beat').find((value) => /^\d+$/.test(value)) ?? Number.NaN)
  const made = Number(valuesOf(lines, 'stat')[0]?.split(' ')[1])
  // A heartbeat ahead of the clock (it was set back) is ignored, as it is when a run takes the lock; the folder's own date is used.
  const ageS = Math.max(0, now - (beat - now <= aheadS ? beat : made))
  if (!Number.isFinite(ageS)) return unknown('unreadable', 'the age of the lock could not be determined')
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

/** The owner file is JSON; while it is being written, its fields are unknown. */
function readOwner(text: string): (field: string) => string {
  const fields = parseObject(text) ?? {}
  return (field) => {
    const value = fields[field]
    return typeof value === 'string' ? value : 'unknown'
  }
}
