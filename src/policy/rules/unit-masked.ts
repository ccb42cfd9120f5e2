import { shell } from '../../lib/next-command.ts'
import type { UnitFact } from '../../model/facts.ts'
import type { ActionContext, Rule } from '../rule.ts'

export const unitMasked: Rule = {
  code: 'UNIT.MASKED',
  severity: 'refuse',
  title: 'The unit is masked.',
  explain:
    'The unit is masked: it points to /dev/null, and systemd does not start it. Writing a definition in its place would silently remove the mask. ' +
    'A unit is masked on purpose, so only a person unmasks it. Find out why it was masked, unmask it, then plan again.',
  consentable: false,
  checkAction(context) {
    const { action, service, host } = context
    const brings = action.starts || action.kind === 'install' || action.kind === 'update'
    const masked = brings ? maskedUnit(context) : undefined
    if (masked === undefined) return []
    const { name, unit } = masked
    return [
      {
        why: `${name} on ${host.name} is masked, so systemd does not start ${service.name}. Writing its unit would remove the mask.`,
        evidence: [
          `${name}: load state ${unit.loadState}${unit.unitFileState === '' ? '' : `, unit file state ${unit.unitFileState}`}`,
        ],
        next: [
          shell(`systemctl unmask ${unit.unitFileState === 'masked-runtime' ? '--runtime ' : ''}${name}`, {
            say: `If the mask is no longer needed, on ${host.name}:`,
          }),
          `Or set \`state: absent\` for ${service.name}.`,
        ],
      },
    ]
  },
}

function maskedUnit({ facts, service, manager, fleet }: ActionContext): { name: string; unit: UnitFact } | undefined {
  if (!facts.systemd.known) return undefined
  const { units } = facts.systemd.value
  const asked = manager.asks(service, fleet.settings.org).units
  return asked
    .flatMap((name) => (units[name] === undefined ? [] : [{ name, unit: units[name] }]))
    .find(({ unit }) => unit.loadState === 'masked' || unit.unitFileState.startsWith('masked'))
}
