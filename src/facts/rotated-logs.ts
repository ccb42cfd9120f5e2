import type { RotatedLog } from '../model/mac-settings.ts'
import { known, type Observed } from '../model/observed.ts'
import { type Fact, linesOf, readSection } from './fact.ts'

/** Both are world-readable. Comments are dropped. */
const macos = `
for file in /etc/newsyslog.conf /etc/newsyslog.d/*.conf; do
  if [ ! -f "$file" ]; then continue; fi
  sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' -e 2000q "$file" || return
  echo
done
`

/** The files that newsyslog(8) rotates by size or time. */
export const rotatedLogs: Fact<Observed<readonly RotatedLog[]>> = {
  section: { name: 'rotated_logs', sh: { macos } },
  parse: (section) => readSection(section, (text) => known(parseNewsyslog(text))),
}

/** A rule with a size in KiB or a time, then optional flags: no other rule limits a file. */
const boundingRule = /^(\/\S*)\s+(?:\S*:\S*\s+)?[0-7]{3,4}\s+\d+\s+(?:\d+(?:\s+\S+)?|\S+\s+[@$\d]\S*)(?:\s+(\S+)(?:\s.*)?)?$/

/**
 * Reads newsyslog.conf(5): `logfile [owner:group] mode count size when [flags [pid_file [signal]]]`. Lines of another shape, and rules whose
 * size and time are both `*`, do not limit a file.
 */
export function parseNewsyslog(text: string): readonly RotatedLog[] {
  return linesOf(text).flatMap((line) => {
    const [, path, flags = ''] = boundingRule.exec(line.replace(/#.*$/, '').trim()) ?? []
    return path === undefined ? [] : [{ path, glob: /g/i.test(flags) }]
  })
}
