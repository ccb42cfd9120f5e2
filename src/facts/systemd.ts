import { defined } from '../lib/defined.ts'
import type { SystemdFact, UnitFact } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, strangeLine } from './fact.ts'
import { lastOutput, wordsByName } from './last-output.ts'

const properties =
  'Id,LoadState,ActiveState,SubState,Result,MainPID,NRestarts,NeedDaemonReload,UnitFileState,FragmentPath,DropInPaths,ExecMainStatus,ExecMainCode,StateChangeTimestampMonotonic'
/** What not every systemd reports. */
const newer: ReadonlySet<string> = new Set(['NRestarts', 'StateChangeTimestampMonotonic'])

/** Orphaned units are found by the ownership label in their files. */
const linux = `
if [ ! -d /run/systemd/system ]; then
  echo 'systemd none'
  return
fi
if ! has systemctl; then
  echo 'systemctl: not found' >&2
  return 127
fi
limit 10 systemctl --version || return
count=$#
for asked in "$@"; do
  case $asked in unit=*) set -- "$@" "\${asked#unit=}" ;; esac
done
shift "$count"
labelled=$(exec grep '^# converge: managed com\\.' /etc/systemd/system/*.service /dev/null 2>/dev/null)
set -f
IFS=$line_break
for row in $labelled; do
  unset IFS
  owner_in "$row$line_break" .service '# converge: managed ' "$line_break" || continue
  printf 'mark %s %s\\n' "$name.service" "$label"
  case " $* " in *" $name.service "*) ;; *) set -- "$@" "$name.service" ;; esac
done
unset IFS
set +f
if [ $# = 0 ]; then return; fi
for unit in "$@"; do printf 'unit %s\\n' "$unit"; done
shown=$(limit_last 10 systemctl show -p ${properties} -- "$@")
ended=$?
printf '%s\\n' "$shown"
read -r uptime _ 2>/dev/null </proc/uptime && printf 'uptime %s\\n' "$uptime"
troubled=
case $shown in *ActiveState=failed* | *SubState=auto-restart*)
  troubled=$(printf '%s\\n' "$shown" | awk -F= '
    $1 == "Id" { id = $2 }
    ($1 == "ActiveState" && $2 == "failed") || ($1 == "SubState" && $2 == "auto-restart") { bad = 1 }
    $0 == "" { if (bad) print id; bad = 0 }
    END { if (bad) print id }' | head -n 5)
  ;;
esac
for unit in $troubled; do
  printf 'log %s\\n' "$unit"
  limit_last 5 journalctl --no-pager --quiet -o cat -n 6 -u "$unit" 2>/dev/null | log_end
done
return "$ended"
`

const macos = `echo 'systemd none'`

/** Systemd's view of the asked units, in one call. Without systemd: a known null. */
export const systemd: Fact<Observed<SystemdFact>> = {
  section: { name: 'systemd', sh: { linux, macos }, apart: true },
  parse: (section) => readSection(section, readSystemd),
}

function readSystemd(text: string): Observed<SystemdFact> {
  if (text.trim() === 'systemd none') return known({ version: null, units: {} })
  const version = /^systemd (\d\S*)/.exec(text)?.[1]
  if (version === undefined) return unknown('unreadable', 'systemctl does not report its version')
  const strange = strangeLine(
    linesOf(text),
    /^(systemd \d|[+-][A-Z]|\||uptime [\d.]+$|log \S+$|mark \S+ \S+$|unit \S+$|[A-Z]\w+=)|^$/,
  )
  if (strange !== undefined) return strange
  const names = linesOf(text).flatMap((line) => (line.startsWith('unit ') ? [line.slice('unit '.length)] : []))
  const labels = labelsIn(text)
  const blocks = blocksOf(text)
  const logs = wordsByName(linesOf(text), 'log')
  const units: [string, UnitFact][] = []
  for (const [index, name] of names.entries()) {
    // In the order asked; an alias answers with the name of its target.
    const block = blocks.length === names.length ? blocks[index] : blocks.find((one) => one.get('Id') === name)
    if (block === undefined) return unknown('unreadable', `systemctl reported nothing about ${name}`)
    const unit = blocks.length > names.length ? undefined : unitOf(block)
    if (unit === undefined) return unknown('unreadable', `the answer of systemctl about ${name} is unreadable`)
    const mark = labels.get(name)
    const words = lastOutput(logs.get(block.get('Id') ?? name) ?? [])
    units.push([name, { ...unit, ...defined({ mark, lastOutput: words, unchangedS: unchangedS(block, text) }) }])
  }
  return known({ version, units: Object.fromEntries(units) })
}

/** By unit; the first label of a file counts, because it is in the header. */
function labelsIn(text: string): ReadonlyMap<string, string> {
  const labels = linesOf(text).flatMap((line) => {
    const [, unit, label] = /^mark (\S+) (\S+)$/.exec(line) ?? []
    return unit === undefined || label === undefined ? [] : [[unit, label] as const]
  })
  return new Map(labels.toReversed())
}

/** `Name=value` lines, with a blank line between units. */
function blocksOf(text: string): readonly ReadonlyMap<string, string>[] {
  const paragraphs = text.split(/\n\n+/).map((part) => part.split('\n').filter((line) => /^[A-Z]\w+=/.test(line)))
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])))
}

/** Seconds since the unit changed its state, by the clock that counts from the boot; undefined: not reported. */
function unchangedS(block: ReadonlyMap<string, string>, text: string): number | undefined {
  const now = Number(/^uptime ([\d.]+)$/m.exec(text)?.[1] ?? Number.NaN)
  const then = Number(block.get('StateChangeTimestampMonotonic') ?? Number.NaN) / 1e6
  return Number.isFinite(now) && Number.isFinite(then) ? Math.max(0, Math.round(now - then)) : undefined
}

/** Undefined: a field is missing or malformed. Systemd before 235 does not count restarts. */
function unitOf(block: ReadonlyMap<string, string>): UnitFact | undefined {
  const isWhole = properties.split(',').every((name) => newer.has(name) || block.has(name))
  const isCounted = ['MainPID', 'NRestarts', 'ExecMainStatus', 'ExecMainCode'].every((name) =>
    /^\d+$/.test(block.get(name) ?? '0'),
  )
  const isReported =
    /^(yes|no)$/.test(block.get('NeedDaemonReload') ?? '') && block.get('LoadState') !== '' && block.get('ActiveState') !== ''
  if (!isWhole || !isCounted || !isReported) return undefined
  const text = (name: string) => block.get(name) ?? ''
  const number = (name: string) => Number(block.get(name) ?? 0)
  return {
    loadState: text('LoadState'),
    activeState: text('ActiveState'),
    subState: text('SubState'),
    result: text('Result'),
    mainPid: number('MainPID'),
    restarts: number('NRestarts'),
    needDaemonReload: text('NeedDaemonReload') === 'yes',
    unitFileState: text('UnitFileState'),
    fragmentPath: text('FragmentPath'),
    dropIns: text('DropInPaths')
      .split(' ')
      .filter((path) => path !== ''),
    execMainStatus: number('ExecMainStatus'),
    execMainCode: number('ExecMainCode'),
  }
}
