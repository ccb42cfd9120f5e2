import type { InventoryIssue } from '../model/issue.ts'
import type { VarsFile } from './raw-inventory.ts'
import type { MergedHost } from './resolve-vars.ts'
import { issueAbout } from './source-text.ts'
import { isManaged } from './used-variables.ts'

/**
 * Variables files that are wholly encrypted with Ansible Vault. Their content is unknown and could change a connection, so none may apply to a host
 * that converge manages.
 */
export function encryptedFiles(files: readonly VarsFile[], hosts: readonly MergedHost[]): readonly InventoryIssue[] {
  const concerned = hosts.filter(isManaged)
  return files.flatMap(({ source, isEncrypted, level, owner }) => {
    if (isEncrypted !== true) return []
    const host = concerned.find(({ name, groups }) => (level === 'host' ? name === owner : groups.includes(owner)))
    if (host === undefined)
      return [issueAbout(source.file, 'warning', 'INPUT.NOT_READ', `${whole}, so converge does not read it. ${unseen}`)]
    const words = `${whole}, and it applies to \`${host.name}\`, which has services. ${remedy}`
    return [issueAbout(source.file, 'error', 'INPUT.NOT_READ', words)]
  })
}

const whole = 'This whole file is encrypted with Ansible Vault'
const unseen = 'Put `services` into a file that is not encrypted.'
const remedy =
  'converge decrypts single `!vault` values (`api_key`, `ansible_become_password`, `webhook`, `token`), not whole files, and this one could change the connection. Put what converge needs into a file that is not encrypted, and use this file only for groups without such hosts.'
