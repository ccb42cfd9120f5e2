import type { Fleet, Host, Service } from '../model/fleet.ts'
import { bringsUp } from './brings-up.ts'
import { nominalRam } from './host-ram.ts'
import type { Finding, Rule } from './rule.ts'
import { factUnknown, gib, gibibyte, inventoryLine } from './words.ts'

export const budgetExceeded: Rule = {
  code: 'BUDGET.EXCEEDED',
  severity: 'refuse',
  title: "The budgets and the headroom exceed the machine's RAM.",
  explain:
    'A Kind B server believes its budget as it is given, however much RAM the machine has. The budgets of all that run, together with ' +
    'the headroom for the system and the container runtime (`fleet.headroom_gb`), have to fit. Lower a budget or stop a service.',
  consentable: false,
  checkInventory({ fleet, host, service }) {
    if (!wantsBudget(service) || host.ramGb === undefined) return []
    const upToHere = host.services.slice(
      0,
      host.services.findIndex((one) => one.name === service.name),
    )
    return excess({ fleet, host, service, others: upToHere.filter(wantsBudget), ramBytes: host.ramGb * gibibyte })
  },
  checkAction(context) {
    const { fleet, host, service, before } = context
    if (service.kind !== 'B' || !bringsUp(context)) return []
    const ram = nominalRam(host, before.ramTotalBytes)
    const words = { host: host.name, decision: `whether the budget of ${service.name} fits` }
    if (!ram.known) return [factUnknown('The memory', ram, words)]
    if (!before.residents.known) return [factUnknown('The list of resident servers', before.residents, words)]
    const running = new Set(before.residents.value.map((one) => one.service))
    const others = host.services.filter((one) => one.kind === 'B' && one.name !== service.name && running.has(one.name))
    return excess({ fleet, host, service, others, ramBytes: ram.value })
  },
}

function wantsBudget(service: Service): boolean {
  return service.kind === 'B' && service.state === 'running'
}

function excess(input: {
  readonly fleet: Fleet
  readonly host: Host
  readonly service: Service
  readonly others: readonly Service[]
  readonly ramBytes: number
}): readonly Finding[] {
  const { fleet, host, service, others, ramBytes } = input
  const all = [...others, service]
  const budgets = all.reduce((sum, one) => sum + (one.ramGb ?? 0), 0)
  const { headroomGb } = fleet.settings
  if ((budgets + headroomGb) * gibibyte <= ramBytes) return []
  return [
    {
      why: `With ${service.name} the budgets on ${host.name} come to ${budgets} GB; with ${headroomGb} GB of headroom that is more than the ${gib(ramBytes)} of the machine.`,
      evidence: [
        ...all.map((one) => inventoryLine(one, `${one.name}: ram_gb ${one.ramGb ?? 0}`)),
        `headroom: ${headroomGb} GiB`,
        `${host.name}: ${gib(ramBytes)} of RAM`,
      ],
      next: [`Lower ram_gb of ${all.map((one) => one.name).join(' or ')}.`, 'Or set one of them to state: stopped.'],
    },
  ]
}
