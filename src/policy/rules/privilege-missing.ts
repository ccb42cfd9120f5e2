import { hasField, needsRoot } from '../../managers/traits.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import { isTimer } from '../../settings/is-timer.ts'
import { logRuleField } from '../../settings/log-rotation.ts'
import type { Finding, Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'

export const privilegeMissing: Rule = {
  code: 'PRIVILEGE.MISSING',
  severity: 'refuse',
  title: 'Root is required to change this.',
  explain:
    'Only root writes, enables and starts system units, and daemons of a Mac. Only root changes the power management of a Mac and its newsyslog rules. Here converge ' +
    'runs its commands as another account, which does not become root. Set `ansible_become: true` for the host, or connect as root. Everything on ' +
    'that host is then done as root. Set `converge_dir` as well if converge should keep its current folder there.',
  consentable: false,
  checkAction({ service, host, facts, state }) {
    if (!needsRoot(service) && state.needsRoot !== true) return []
    const what = hasField(service.manager, 'domain') ? 'a daemon in launchd’s system domain' : 'a system unit'
    return missing(host, facts, `${service.name} on ${host.name} is ${what}`)
  },
  checkSetting({ host, facts, changes }) {
    if (!facts.layout.known) {
      const words = { host: host.name, decision: 'whether the account may change the settings of the machine' }
      return [factUnknown('The account and its folders', facts.layout, words)]
    }
    const timers = changes.filter(isTimer).map(({ field }) => field)
    const rules = changes.filter(({ field }) => field === logRuleField)
    if (timers.length + rules.length === 0) return []
    const why = [
      ...(timers.length === 0 ? [] : [`only root changes ${timers.join(', ')} of ${host.name} with pmset`]),
      ...(rules.length === 0 ? [] : [`only root adds a rule to newsyslog on ${host.name}`]),
    ]
    const found = missing(host, facts, why.join(', and '))
    return found.map((finding) => ({ ...finding, next: [...finding.next, ...keepFolder(host, facts.layout)] }))
  },
}

function missing(host: Host, { layout }: HostFacts, why: string): readonly Finding[] {
  if (!layout.known || layout.value.effectiveUid === 0) return []
  const { user, effectiveUid } = layout.value
  return [
    {
      why: `${why}, but commands run there as ${user} (uid ${effectiveUid}), not as root.`,
      evidence: [
        inventoryLine(host, ['ansible_become'], `${host.name}: ansible_become ${host.connection.become}`),
        `commands run as uid ${effectiveUid}`,
      ],
      next: [`Set ansible_become: true for ${host.name} (${user} must be allowed to use sudo there).`],
    },
  ]
}

/** Root has another default folder: keys and records would move, and servers would restart. */
function keepFolder({ name, convergeDir, services }: Host, layout: HostFacts['layout']): readonly string[] {
  if (convergeDir !== undefined || services.length === 0 || !layout.known) return []
  return [`Also set converge_dir: ${layout.value.root}, to keep the files of its services where they are on ${name}.`]
}
