import type { GroupBody } from '../managers/compile-action.ts'
import type { PowerFact } from '../model/mac-settings.ts'
import type { Check, RunStep } from '../model/step.ts'
import { type SleepTimers, type TimerValue, timersNow } from './sleep-timers.ts'

const timeoutMs = 60_000

/** Sets the changed timers for all power sources at once; the rollback restores each source. */
export function compileSleep(timers: readonly string[], wanted: SleepTimers, power: PowerFact): GroupBody {
  const changed = new Set(timers)
  const pairs = Object.entries(wanted).filter(([timer]) => changed.has(timer))
  const before = timersNow(timers, power)
  const after = before.map((one) => ({ ...one, minutes: Number(new Map(pairs).get(one.timer)) }))
  const asSeen = timersAre('the sleep timers have not changed since the plan was made', before)
  return {
    precheck: [asSeen],
    steps: [setEverywhere(pairs, [asSeen])],
    postcheck: [timersAre('the sleep timers have the desired values', after)],
    undo: [setEach(before)],
  }
}

function setEverywhere(pairs: readonly (readonly [string, number])[], guards: readonly Check[]): RunStep {
  const words = pairs.map(([timer, minutes]) => `${timer} ${minutes}`).join(', ')
  return { do: 'run', label: `set ${words}`, guards, script: 'pmset -a "$@"', args: pairs.flat().map(String), timeoutMs }
}

function setEach(values: readonly TimerValue[]): RunStep {
  const script = `while [ "$#" -ge 3 ]; do
  case $1 in
    'AC Power') flag=-c ;;
    'Battery Power') flag=-b ;;
    'UPS Power') flag=-u ;;
    *) echo "$1 is not a power source that pmset can set"; exit 1 ;;
  esac
  pmset "$flag" "$2" "$3" || exit 1
  shift 3
done`
  return { do: 'run', label: 'restore the sleep timers', guards: [], script, args: triples(values), timeoutMs }
}

/** pmset may exit with 0 despite a warning: its output afterwards counts. */
function timersAre(label: string, values: readonly TimerValue[]): Check {
  const script = `settings=$(pmset -g custom 2>&1) || { printf '%s\\n' "$settings"; exit 1; }
while [ "$#" -ge 3 ]; do
  now=$(printf '%s\\n' "$settings" | awk -v source="$1:" -v timer="$2" '
    /^[^ \\t]/ { inside = index($0, source) == 1 }
    inside && $1 == timer { value = $2 }
    END { print value }')
  [ "$now" = "$3" ] || { echo "$1: $2 is now \${now:-unknown}, not $3"; exit 1; }
  shift 3
done`
  return { label, script, args: triples(values) }
}

function triples(values: readonly TimerValue[]): readonly string[] {
  return values.flatMap(({ source, timer, minutes }) => [source, timer, String(minutes)])
}
