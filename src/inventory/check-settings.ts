import type { HostFinding } from './issues.ts'
import type { MergedHost } from './resolve-vars.ts'
import type { WrittenHost } from './written-host.ts'

/** Settings of the machine itself, which only some machines have. */
export function checkSettings(host: MergedHost, vars: WrittenHost): readonly HostFinding[] {
  if (vars.platform === 'macos') return []
  const has = vars.platform === undefined ? 'has no `platform`, which means linux' : `is \`platform: ${vars.platform}\``
  return ofMacs.flatMap(({ name, what, none, isSet }): HostFinding[] => {
    const entry = host.vars.values.get(name)
    if (entry === undefined || !isSet(vars)) return []
    const words = (whom: string) =>
      `\`${name}\` ${what} of macOS, but ${whom} ${has}. Set it only for Macs; \`${name}: ${none}\` unsets it for one host.`
    return [{ host: host.name, range: entry.key, severity: 'error', code: 'INPUT.CONFLICT', words }]
  })
}

const ofMacs: readonly {
  readonly name: string
  readonly what: string
  readonly none: string
  readonly isSet: (vars: WrittenHost) => boolean
}[] = [
  {
    name: 'sleep',
    what: 'sets the power management',
    none: '{}',
    isSet: ({ sleep = {} }) => Object.keys(sleep).length > 0,
  },
  { name: 'rotate_logs', what: 'is for newsyslog', none: 'false', isSet: ({ rotate_logs }) => rotate_logs === true },
]
