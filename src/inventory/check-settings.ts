import type { HostFinding } from './issues.ts'
import type { MergedHost } from './resolve-vars.ts'
import type { WrittenHost } from './written-host.ts'

/** Settings of the machine itself, where the machine has them. */
export function checkSettings(host: MergedHost, vars: WrittenHost): readonly HostFinding[] {
  const entry = host.vars.values.get('sleep')
  if (entry === undefined || vars.platform === 'macos' || Object.keys(vars.sleep ?? {}).length === 0) return []
  const has = vars.platform === undefined ? 'names no `platform`, which means linux' : `is \`platform: ${vars.platform}\``
  const words = (whom: string) =>
    `\`sleep\` sets the power management of macOS, but ${whom} ${has}. Set it for the Macs alone; \`sleep: {}\` takes it away from one host.`
  return [{ host: host.name, place: entry.key, severity: 'error', code: 'INPUT.CONFLICT', words }]
}
