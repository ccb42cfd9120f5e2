import { parseObject } from '../lib/json-object.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { StepInDoubt, UnfinishedRun } from '../model/unfinished-run.ts'
import { type Fact, linesOf, readSection } from './fact.ts'

/**
 * The log that `apply/audit-log.ts` describes, and its rotated predecessor. Sends only lines of runs that did not end or have an unfinished
 * step, then which runs ended and what they settled. A complete line may follow one that a full disk truncated.
 */
const anywhere = String.raw`
look_file "$root/audit.log"
printf 'state %s\n' "$state"
case $state in there | absent) ;; *) return 0 ;; esac
ends() {
  for file in "$root/audit.log.1" "$root/audit.log"; do
    if [ ! -f "$file" ] || [ ! -r "$file" ]; then continue; fi
    if [ "$file" = "$root/audit.log" ]; then exec tail -c 131072 "$file"; fi
    tail -c 131072 "$file"
    echo
  done
}
if [ "$state" = absent ] && [ ! -f "$root/audit.log.1" ]; then return; fi
ends | awk '
  {
    while ((at = index(substr($0, 2), "{\"event\":\"")) > 0) $0 = substr($0, at + 1)
  }
  /^\{"event":"[a-z-]*","run_id":"[^"]*",.*\}$/ {
    split($0, word, "\"")
    kind[++count] = word[4]
    run[count] = word[8]
    line[count] = $0
    step = word[8] word[11]
    if (word[4] == "run-begun") over[word[8]] = 0
    if (word[4] == "run-ended") over[word[8]] = 1
    if (word[4] == "step-intended" && !waits[step]++) steps[word[8]]++
    if (word[4] == "step-ended" && waits[step]) {
      waits[step] = 0
      steps[word[8]]--
    }
  }
  END {
    for (i = 1; i <= count; i++) {
      if (!over[run[i]] || steps[run[i]]) first = 1
      else if (!first || (kind[i] != "run-ended" && kind[i] != "service-settled")) continue
      print "|" line[i]
    }
  }'
`

/** The last run on this host that did not finish; null: none. */
export const journal: Fact<Observed<UnfinishedRun | null>> = {
  section: { name: 'journal', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readJournal),
}

type Line = Readonly<Record<string, unknown>>

interface OpenRun {
  readonly begun: Line
  readonly services: Set<string>
  readonly doubts: Map<unknown, StepInDoubt>
}

/** Twice what `tail` takes, with a bar before each line. */
const mostText = 320_000

function readJournal(text: string): Observed<UnfinishedRun | null> {
  const lines = linesOf(text)
  if (lines[0] !== 'state there' && lines[0] !== 'state absent')
    return unknown('not-permitted', 'the log of runs is not readable')
  if (text.length > mostText) return unknown('unreadable', 'the log of runs is longer than requested')
  const open = new Map<string, OpenRun>()
  for (const line of lines.slice(1)) {
    if (line === '') continue
    const entry = line.startsWith('|') ? parseObject(line.slice(1)) : undefined
    // It could be a line about a step in doubt.
    if (entry === undefined || !isWhole(entry)) return unknown('unreadable', 'a line of the log of runs is unreadable')
    take(entry, open)
  }
  const left = [...open].filter(([, { services }]) => services.size > 0)
  const [runId, run] = left.at(-1) ?? []
  return known(runId === undefined || run === undefined ? null : unfinished(runId, run, left))
}

/** The events of `apply/audit-log.ts`. */
const events: ReadonlySet<unknown> = new Set([
  'run-begun',
  'lock-taken-over',
  'lock-removed',
  'consent-used',
  'step-intended',
  'step-ended',
  'service-settled',
  'run-ended',
])

/** Whether it is a known event with all its required fields. */
function isWhole({ event, run_id: runId, n, service }: Line): boolean {
  const isStep = event === 'step-intended' || event === 'step-ended'
  const isOfService = event === 'step-intended' || event === 'service-settled'
  return (
    events.has(event) &&
    typeof runId === 'string' &&
    (!isStep || Number.isInteger(n)) &&
    (!isOfService || typeof service === 'string')
  )
}

/** Combines what the last run left with what runs before it left, unless that was settled. */
function unfinished(runId: string, { begun }: OpenRun, left: readonly (readonly [string, OpenRun])[]): UnfinishedRun {
  return {
    owner: textOf(begun, 'owner'),
    controller: textOf(begun, 'controller'),
    runId,
    ...(begun['event'] === 'run-begun' && typeof begun['at'] === 'number' ? { begunAt: begun['at'] } : {}),
    services: [...new Set(left.flatMap(([, { services }]) => [...services]))],
    inDoubt: left.flatMap(([, { doubts }]) => [...doubts.values()]),
  }
}

function take(entry: Line, open: Map<string, OpenRun>): void {
  const runId = textOf(entry, 'run_id')
  const run = open.get(runId) ?? { begun: entry, services: new Set(), doubts: new Map() }
  const service = textOf(entry, 'service')
  switch (entry['event']) {
    case 'run-begun':
      open.set(runId, { ...run, begun: entry })
      break
    case 'step-intended':
      run.services.add(service)
      run.doubts.set(entry['n'], stepIn(entry, service))
      open.set(runId, run)
      break
    case 'step-ended':
      run.doubts.delete(entry['n'])
      break
    case 'service-settled':
      for (const one of open.values()) settle(one, service)
      break
    case 'run-ended':
      endRun(run)
      break
    default:
  }
}

/** Its report says what it did; steps in doubt stay in doubt. */
function endRun({ services, doubts }: OpenRun): void {
  services.clear()
  for (const { service } of doubts.values()) services.add(service)
}

function settle({ services, doubts }: OpenRun, service: string): void {
  services.delete(service)
  for (const [n, step] of doubts) if (step.service === service) doubts.delete(n)
}

function stepIn(entry: Line, service: string): StepInDoubt {
  const action = entry['action']
  return { service, step: textOf(entry, 'step'), ...(typeof action === 'string' ? { action } : {}) }
}

function textOf(entry: Line, name: string): string {
  const value = entry[name]
  return typeof value === 'string' ? value : 'unknown'
}
