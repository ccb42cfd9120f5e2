import { isManagedService } from '../../inventory/is-managed-service.ts'
import { accountOf } from '../../simulate/account-of.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const accountMissing: Rule = {
  code: 'ACCOUNT.MISSING',
  severity: 'refuse',
  title: 'The account for the server does not exist, or is not named.',
  explain:
    'A daemon of a Mac runs as an account of that Mac: the `user` of the service, or the account that connects. converge creates no accounts. It ' +
    'also does not choose root: if converge connects as root, name the account. `user: root` is possible, and gives a server that strangers may ' +
    'reach every right on the machine.',
  consentable: false,
  checkService({ service, host, facts }) {
    const account = accountOf(service, facts)
    if (account === undefined || !isManagedService(service) || !facts.layout.known) return []
    const { user } = service
    if (user === undefined && facts.layout.value.user === 'root') {
      return [
        {
          why: `${service.name} on ${host.name} is a daemon without a \`user\`, and converge connects as root.`,
          evidence: [inventoryLine(service, ['user'], `${service.name}: no user`), 'account: root'],
          next: [`Set user: to an existing account of ${host.name} that can read the model. Write user: root if you mean root.`],
          comparable: true,
        },
      ]
    }
    if (!account.known || account.value !== null) return []
    return [
      {
        why: `${service.name} is to run as ${user ?? facts.layout.value.user}, and ${host.name} has no such account.`,
        evidence: [inventoryLine(service, ['user'], `${service.name}: user ${user ?? facts.layout.value.user}`)],
        next: [`Create the account on ${host.name} (\`sysadminctl -addUser\`, without administrator rights), or correct user.`],
        mayStillStop: true,
      },
    ]
  },
}
