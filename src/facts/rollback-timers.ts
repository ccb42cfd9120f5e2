import { parseObject } from '../lib/json-object.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { RollbackTimer } from '../model/rollback-timer.ts'
import { type Fact, linesOf, readSection, saysOnly, strangeLine } from './fact.ts'

/** Folders as `apply/rollback-timer-scripts.ts` leaves them, with their count. A timer whose state changes during the listing gets another name: then the listing restarts. */
const anywhere = `
look "$root/deadman"
if [ "$state" = there ] && { [ ! -d "$root/deadman" ] || [ ! -r "$root/deadman" ] || [ ! -x "$root/deadman" ]; }; then state=hidden; fi
printf 'state %s\\n' "$state"
[ "$state" = there ] || return 0
printf 'now %s\\n' "$(date +%s)"
tries=0 moved=yes
while [ "$moved" = yes ] && [ "$tries" -lt 5 ]; do
  tries=$((tries + 1)) moved=no count=0
  echo again
  for folder in "$root/deadman"/*; do
    case $folder in *.armed | *.acting | *.undone | *.failed | *.spared) ;; *) continue ;; esac
    count=$((count + 1))
    printf 'timer %s\\n' "\${folder##*/}"
    if [ -e "$folder/alive" ]; then (describe "$folder/alive") 2>/dev/null; fi
    if [ -f "$folder/about" ] && [ -r "$folder/about" ]; then show "$folder/about" 2>/dev/null; fi
    [ -d "$folder" ] || moved=yes
  done
  printf 'listed %s\\n' "$count"
done
:
`

/** Timers on the host that will roll back a replaced server, or did. */
export const rollbackTimers: Fact<Observed<readonly RollbackTimer[]>> = {
  section: { name: 'rollback_timers', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readTimers),
}

/** Seconds of silence after which a timer, which polls every two seconds, is gone. */
const silentS = 60

const noTimers = unknown('unreadable', 'the list of rollback timers is incomplete')

function readTimers(text: string): Observed<readonly RollbackTimer[]> {
  const lines = linesOf(text)
  if (saysOnly(lines, 'state absent')) return known([])
  if (lines[0] === 'state hidden') return unknown('not-permitted', 'the rollback timers are not readable')
  if (lines[0] !== 'state there') return noTimers
  const now = Number(lines[1]?.split(' ')[1])
  if (!Number.isFinite(now)) return unknown('unreadable', 'the host does not report its time')
  const strange = strangeLine(lines, shape)
  if (strange !== undefined) return strange
  const last = lines.slice(lines.lastIndexOf('again') + 1).join('\n')
  const records = last.split(/^timer /m).slice(1)
  const listed = wholeLook.exec(last)?.[1]
  if (lines[2] !== 'again' || Number(listed) !== records.length) return noTimers
  return known(records.flatMap((record) => readTimer(linesOf(record), now)))
}

const shape = /^(state there|now \d+|again|timer [A-Za-z0-9]+\.(armed|acting|undone|failed|spared)|stat .*|\|.*|listed \d+|)$/

/** One complete listing, with its count. */
const wholeLook = /^(?:timer .*\n(?:stat .*\n)?(?:\|.*\n)*\n*)*listed (\d+)\n*$/

function readTimer([name = '', ...lines]: readonly string[], now: number): readonly RollbackTimer[] {
  const [, id, word] = /^([A-Za-z0-9]+)\.(\w+)$/.exec(name) ?? []
  const state = states.find((one) => one === word)
  if (id === undefined || state === undefined) return []
  const at = Number(lines.find((line) => line.startsWith('stat '))?.split(' ')[2] ?? 0)
  const about = parseObject(lines.find((line) => line.startsWith('|'))?.slice(1) ?? '') ?? {}
  const text = (field: string): string => {
    const value = about[field]
    return typeof value === 'string' ? value : 'unknown'
  }
  const who = { service: text('service'), owner: text('owner'), controller: text('controller'), runId: text('runId') }
  const waits = state === 'armed' || state === 'acting'
  return [{ id, state, ...who, alive: waits && Math.abs(now - at) < silentS, at }]
}

const states = ['armed', 'acting', 'undone', 'failed', 'spared'] as const
