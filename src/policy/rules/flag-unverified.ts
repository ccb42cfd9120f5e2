import { serverKinds } from '../../servers/index.ts'
import { bringsUp } from '../brings-up.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'
import { keyOfFlag, listedFlags } from './flag-unsupported.ts'

export const flagUnverified: Rule = {
  code: 'FLAG.UNVERIFIED',
  severity: 'warn',
  title: 'A flag that many builds reject could not be checked.',
  explain:
    'Kind B starts with `--no-browser` unless the inventory says otherwise. Many builds of its program reject that flag and exit with a usage ' +
    'error. The help of the executable on the host could not be read, so its build is unknown. If the server exits at once with code 2, set ' +
    '`no_browser: false`.',
  consentable: false,
  checkAction(context) {
    const { service, host } = context
    const { doubtfulFlag, help } = serverKinds[service.kind]
    const flag = doubtfulFlag?.(service)
    if (flag === undefined || !bringsUp(context) || listedFlags(context).known) return []
    return [
      {
        why: `${service.name} on ${host.name} starts with ${flag}. Whether its program supports that flag is unknown.`,
        evidence: [inventoryLine(service, keyOfFlag(service, flag), `${service.name}: ${flag}`)],
        next: [`On ${host.name}:  ${[service.interpreter, service.executable, ...help, '--help'].filter(Boolean).join(' ')}`],
      },
    ]
  },
}
