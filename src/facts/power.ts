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

/** How the Mac's power management is set, for each source of power. Not what is in force: that changes with the source. */
export const power: Fact<Observed<PowerFact>> = {
  section: { name: 'power', sh: { macos } },
  parse: (section, { question }) =>
    question.power ? readSection(section, readPower) : unknown('not-gathered', 'the inventory sets none of it'),
}

function readPower(text: string): Observed<PowerFact> {
  const settings = parsePmset(text)
  if (Object.keys(settings).length === 0) return unknown('unreadable', 'pmset told no settings of any power source')
  if (/^\s/.test(text)) return unknown('unreadable', 'pmset told settings of no power source')
  // One that came twice, or without settings: those of another source may stand under it.
  const sources = linesOf(text).filter((line) => /^\S.* Power:\s*$/.test(line))
  if (sources.length !== Object.keys(settings).length)
    return unknown('unreadable', 'which settings are of which power source did not arrive whole')
  return strangeLine(linesOf(text), shape) ?? known(settings)
}

/** A heading that is not known may be that of a source; of the settings only `hibernatefile` is no number. */
const shape = /^((AC|Battery|UPS) Power|System-wide power settings):\s*$|^\s+\S.*\s(\d+(\s+\(.*)?|\/.*)$|^$/

/**
 * Reads `pmset -g custom`: a line at the margin names a source, indented ones are its settings. Their names may hold blanks; the
 * value is the last word, before a remark in parentheses. What is no number is left out.
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
