import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import type { PlatformFact } from '../model/facts.ts'
import type { Platform } from '../model/names.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { type Fact, linesOf, readSection, strangeLine } from './fact.ts'

const linux = `
printf 'system %s\\n' "$system"
if [ -r /proc/sys/kernel/random/boot_id ]; then
  read -r id </proc/sys/kernel/random/boot_id
  printf 'boot %s\\n' "$id"
fi
for file in /etc/os-release /usr/lib/os-release; do
  if [ -r "$file" ]; then
    while IFS='=' read -r key value; do
      case $key in PRETTY_NAME) printf 'release %s\\n' "$value" ;; esac
    done <"$file"
    break
  fi
done
if [ -r /etc.defaults/VERSION ]; then
  while IFS='=' read -r key value; do
    case $key in productversion) printf 'dsm %s\\n' "$value" ;; esac
  done </etc.defaults/VERSION
fi
if [ -r /etc/config/uLinux.conf ]; then
  while read -r key _ value; do
    case $key in Version) printf 'qts %s\\n' "$value" ; break ;; esac
  done </etc/config/uLinux.conf
fi
:
`

const macos = `
printf 'system %s\\n' "$system"
if id=$(exec sysctl -n kern.bootsessionuuid 2>/dev/null); then printf 'boot %s\\n' "$id"; fi
if has sw_vers; then sw_vers; fi
:
`

/** The system: `uname`, as on every Unix; the name from os-release, a NAS's own version file, or `sw_vers`. */
export const platform: Fact<Observed<PlatformFact>> = {
  section: { name: 'platform', sh: { linux, macos }, everywhere: true },
  parse: (section) => readSection(section, readPlatform),
}

const shape = /^(system|boot|release|dsm|qts)( |$)|^(Product|Build)\w+:\s|^$/

/** By kernel name. */
const platforms: Readonly<Record<string, Platform>> = { Linux: 'linux', Darwin: 'macos' }

function readPlatform(text: string): Observed<PlatformFact> {
  const strange = strangeLine(linesOf(text), shape)
  if (strange !== undefined) return strange
  const fields = new Map(linesOf(text).map(splitField))
  const [system = '', hostname = '', release = '', arch = ''] = (fields.get('system') ?? '').split(' ')
  const os = ownMember(platforms, system)
  if (os === undefined) return unknown('wrong-platform', system === '' ? 'uname printed nothing' : `it runs ${system}`)
  return known({
    os,
    kernel: `${system} ${release}`,
    arch,
    hostname,
    ...defined({ distribution: distributionOf(fields), bootId: fields.get('boot') || undefined }),
  })
}

/** `name value`, or the `Name:<tabs>value` of `sw_vers`. */
function splitField(line: string): [string, string] {
  const match = /^([A-Za-z]+):?\s+(.*)$/s.exec(line)
  return [match?.[1] ?? '', match?.[2]?.trim() ?? '']
}

function distributionOf(fields: ReadonlyMap<string, string>): string | undefined {
  const version = (name: string) => fields.get(name)?.replace(/^["']|["']$/g, '')
  if (fields.has('dsm')) return `Synology DSM ${version('dsm')}`
  if (fields.has('qts')) return `QNAP QTS ${version('qts')}`
  if (fields.has('ProductName')) return `${fields.get('ProductName')} ${fields.get('ProductVersion') ?? ''}`.trim()
  return version('release')
}
