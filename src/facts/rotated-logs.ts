import type { RotatedLog } from '../model/mac-settings.ts'
import { known, type Observed } from '../model/observed.ts'
import { type Fact, linesOf, readSection } from './fact.ts'

/** Both are readable for everybody. Comments stay there. */
const macos = `
for file in /etc/newsyslog.conf /etc/newsyslog.d/*.conf; do
  if [ ! -f "$file" ]; then continue; fi
  sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' -e 2000q "$file" || return
  echo
done
`

/** The files that newsyslog(8) keeps within a size, or turns over at set times. */
export const rotatedLogs: Fact<Observed<readonly RotatedLog[]>> = {
  section: { name: 'rotated_logs', sh: { macos } },
  parse: (section) => readSection(section, (text) => known(parseNewsyslog(text))),
}

/**
 * Reads newsyslog.conf(5): `logfile [owner:group] mode count size when [flags [pid_file [signal]]]`. A line of another shape is none that
 * bounds anything, nor is one whose size and time are both `*`.
 */
export function parseNewsyslog(text: string): readonly RotatedLog[] {
  return linesOf(text).flatMap((line) => {
    const [path = '', ...words] = line.replace(/#.*$/, '').trim().split(/\s+/)
    const [mode = '', count = '', size = '', when = '', flags = ''] = words[0]?.includes(':') === true ? words.slice(1) : words
    const isRule = path.startsWith('/') && /^[0-7]{3,4}$/.test(mode) && /^\d+$/.test(count)
    const bounds = /^\d+$/.test(size) || /^[@$\d]/.test(when)
    return isRule && bounds ? [{ path, glob: /g/i.test(flags) }] : []
  })
}
