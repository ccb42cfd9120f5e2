import type { InventoryIssue } from '../model/issue.ts'
import type { VarsFile } from './raw-inventory.ts'
import type { MergedHost } from './resolve-vars.ts'
import { issueAbout } from './source-text.ts'
import { asksForSomething } from './used-variables.ts'

/**
 * Files of variables that Ansible Vault encrypted as a whole. What cannot be read may be anything, also where a connection leads: so none
 * may be about a host that asks something of converge.
 */
export function encryptedFiles(files: readonly VarsFile[], hosts: readonly MergedHost[]): readonly InventoryIssue[] {
  const concerned = hosts.filter(asksForSomething)
  return files.flatMap(({ source, isEncrypted, level, owner }) => {
    if (isEncrypted !== true) return []
    const host = concerned.find(({ name, groups }) => (level === 'host' ? name === owner : groups.includes(owner)))
    if (host === undefined) return [issueAbout(source.file, 'warning', 'INPUT.NOT_READ', `${whole}, and is not read. ${unseen}`)]
    const words = `${whole}, and it is about \`${host.name}\`, which has services. ${wayOut}`
    return [issueAbout(source.file, 'error', 'INPUT.NOT_READ', words)]
  })
}

const whole = 'This file is encrypted as a whole with Ansible Vault'
const unseen = 'Were there `services` in it, converge would not see them: those belong into a file that is not encrypted.'
const wayOut =
  'converge opens single `!vault` values (`api_key`, `ansible_become_password`, `webhook`, `token`) and no whole files; what stands in this one could change where it connects. Put what converge needs into a file that is not encrypted, and this file to groups without such hosts.'
