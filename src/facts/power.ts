import type { PowerFact } from '../model/mac-settings.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, strangeLine } from './fact.ts'

const macos = `
for asked in "$@"; do
  if [ "$asked" = power=asked ]; then
    if ! has pmset; then
      echo 'pmset: not found' >&2
      return 127
    fi
    pmset -g custom
    return
  fi
done
`

/** The Mac's power management settings per power source, not those in effect, which change with the source. */
export const power: Fact<Observed<PowerFact>> = {
  section: { name: 'power', sh: { macos } },
  parse: (section, { question }) =>
    question.power ? readSection(section, readPower) : unknown('not-gathered', 'the inventory has no power settings'),
}

function readPower(text: string): Observed<PowerFact> {
  const settings = parsePmset(text)
  if (Object.keys(settings).length === 0) return unknown('unreadable', 'pmset printed no settings')
  if (/^\s/.test(text)) return unknown('unreadable', 'pmset printed settings without a power source')
  // A duplicate or empty source may have taken the settings of another one.
  const sources = linesOf(text).filter((line) => /^\S.* Power:\s*$/.test(line))
  if (sources.length !== Object.keys(settings).length)
    return unknown('unreadable', 'the settings cannot be attributed to a power source')
  return strangeLine(linesOf(text), shape) ?? known(settings)
}

/** An unknown heading may be a power source; of the settings only `hibernatefile` is no number. */
const shape = /^((AC|Battery|UPS) Power|System-wide power settings):\s*$|^\s+\S.*\s(\d+(\s+\(.*)?|\/.*)$|^$/

/**
 * Reads `pmset -g custom`: an unindented line names a source, indented lines are its settings. Their names may contain blanks; the value
 * is the last word before a remark in parentheses. Settings that are no number are skipped.
 */
export function parsePmset(text: string): PowerFact {
  const settings: Record<string, Record<string, number>> = {}
  let source = ''
  for (const line of text.split('\n')) {
    const heading = /^(\S.*?):\s*$/.exec(line)?.[1]
    const [, name, value] = /^\s+(\S.*?)\s+(\d+)(?:\s+\(.*)?\s*$/.exec(line) ?? []
    if (heading !== undefined) source = heading
    else if (source !== '' && name !== undefined) settings[source] = { ...settings[source], [name]: Number(value) }
  }
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name.endsWith(' Power')))
}
