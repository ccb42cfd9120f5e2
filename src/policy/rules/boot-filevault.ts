import { shell } from '../../lib/next-command.ts'
import { needsRoot } from '../../managers/traits.ts'
import { unknown } from '../../model/observed.ts'
import type { Rule } from '../rule.ts'
import { unknownWords } from '../words.ts'

export const bootFilevault: Rule = {
  code: 'BOOT.FILEVAULT',
  severity: 'warn',
  title: 'After a cold boot, FileVault keeps the disk locked, so no server starts.',
  explain:
    'A daemon starts with the Mac, without a login. But with FileVault on, the disk is locked after a power cut or a restart until a person unlocks ' +
    'it with the password of an account: at the screen, on macOS 26 and newer also over SSH. Until then launchd cannot read the daemons. For one ' +
    'planned restart, `sudo fdesetup authrestart` unlocks the disk in advance. If the Mac has to come back alone, turn FileVault off and protect ' +
    'the machine in another way.',
  consentable: false,
  checkHost({ host, facts }) {
    const daemons = host.services.filter(
      (service) => service.domain === 'system' && needsRoot(service) && service.state === 'running',
    )
    const { daemons: seen = unknown('not-gathered') } = facts
    // Without any answer of launchd, other rules have refused already.
    if (daemons.length === 0 || !seen.known) return []
    const { fileVault } = seen.value
    if (fileVault.known && !fileVault.value) return []
    const names = daemons.map(({ name }) => name).join(', ')
    return [
      {
        why: fileVault.known
          ? `FileVault is on at ${host.name}. After a cold boot its disk stays locked until a person unlocks it at the screen, and ${names} cannot start before that.`
          : `Whether FileVault is on at ${host.name} is unknown (${unknownWords(fileVault)}). If it is, ${names} cannot start after a cold boot before a person unlocks the disk at the screen.`,
        evidence: [fileVault.known ? 'fdesetup status: FileVault is On' : 'FileVault: unknown'],
        next: [
          shell('sudo fdesetup authrestart', { say: `To restart ${host.name} once without a locked disk:` }),
          'Or turn FileVault off in System Settings if the Mac has to come back alone.',
        ],
      },
    ]
  },
}
