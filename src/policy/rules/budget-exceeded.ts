import { converge } from '../../lib/next-command.ts'
import type { Fleet, Host, Service } from '../../model/fleet.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { Observed } from '../../model/observed.ts'
import { hasBudget } from '../../servers/traits.ts'
import { goesOn } from '../../simulate/goes-on.ts'
import type { SimulatedResident } from '../../simulate/host-state.ts'
import { bringsUp } from '../brings-up.ts'
import { nominalRam } from '../host-ram.ts'
import type { ActionContext, Evidence, Finding, Rule } from '../rule.ts'
import { factUnknown, fleetLine, gib, gibibyte, inventoryLine } from '../words.ts'

export const budgetExceeded: Rule = {
  code: 'BUDGET.EXCEEDED',
  severity: 'refuse',
  title: "The budgets and the headroom exceed the machine's RAM.",
  explain:
    'A Kind B server trusts its budget as given, however much RAM the machine has. Every running server counts with the budget that it was ' +
    'started with. These budgets and the headroom for the system and the container runtime (`fleet.headroom_gb`) must fit into the RAM. Lower a ' +
    'budget or stop a service; a lower budget counts from the restart on.',
  consentable: false,
  checkInventory({ fleet, host, service }) {
    if (!needsBudget(service) || host.ramGb === undefined) return []
    const upToHere = host.services.slice(
      0,
      host.services.findIndex((one) => one.name === service.name),
    )
    return excess({
      fleet,
      host,
      service,
      others: upToHere.filter(needsBudget).map(desiredBudget),
      ramBytes: host.ramGb * gibibyte,
    })
  },
  checkAction(context) {
    const { fleet, host, service, before } = context
    if (!hasBudget(service.kind) || !bringsUp(context) || goesOn(context.action, before)) return []
    const ram = nominalRam(host, before.ramTotalBytes)
    const words = { host: host.name, decision: `whether the budget of ${service.name} fits` }
    if (!ram.known) return [factUnknown('The memory', ram, words)]
    if (!before.residents.known) return [factUnknown('The list of resident servers', before.residents, words)]
    const others = before.residents.value.filter(
      (one) => one.kind !== 'runner' && hasBudget(one.kind) && one.service !== service.name,
    )
    const unknownBudgets = others.flatMap((one) => budgetUnknown(context, one))
    if (unknownBudgets.length > 0) return unknownBudgets
    return excess({ fleet, host, service, others: others.map((one) => runningBudget(one, host)), ramBytes: ram.value })
  },
}

function needsBudget(service: Service): boolean {
  return hasBudget(service.kind) && service.state === 'running'
}

interface Budget {
  readonly name: string
  readonly gb: number
  readonly line: Evidence
  /** How to lower it; absent: there is no way. */
  readonly remedy?: NextStep
}

function desiredBudget(service: Service): Budget {
  const { name, ramGb = 0 } = service
  return {
    name,
    gb: ramGb,
    line: inventoryLine(service, ['ram_gb'], `${name}: ram_gb ${ramGb}`),
    remedy: `Lower ram_gb of ${name}.`,
  }
}

/** While a server runs, the budget it was started with counts, not the one in the inventory. */
function runningBudget(running: SimulatedResident, host: Host): Budget {
  const { service, description } = running
  const gb = inGb(running.budgetBytes)
  const desired = host.services.find(({ name }) => name === service)
  if (desired === undefined) {
    return {
      name: description,
      gb,
      line: `${description}: its budget is ${gb} GB`,
      remedy: `Stop ${description} on ${host.name}.`,
    }
  }
  const { name, ramGb = 0, state } = desired
  if (state !== 'running') {
    const line = inventoryLine(desired, ['state'], `${name}: state ${state}, but its budget of ${gb} GB counts until then`)
    return { name, gb, line, remedy: converge(['plan', '--limit', host.name], { say: `See what keeps ${name} running:` }) }
  }
  if (gb === ramGb) return desiredBudget(desired)
  const line = (words: string) => inventoryLine(desired, ['ram_gb'], `${name}: ram_gb ${ramGb}, but ${words} ${gb} GB`)
  // A restart would ask for more.
  if (gb < ramGb) return { name, gb, line: line('it runs with') }
  if (inGb(running.startedBytes) > ramGb) {
    const remedy = converge(['plan', '--limit', host.name], {
      say: `Plan the restart of ${name} with its new budget; it loses its cache:`,
    })
    return { name, gb, line: line('until its restart its budget is'), remedy }
  }
  const remedy = converge(['plan', '--limit', host.name], {
    say: `See why the new definition of ${name} is not written:`,
  })
  return { name, gb, line: line('its budget may be up to'), remedy }
}

function inGb(budget: Observed<number> | undefined): number {
  return budget?.known === true ? budget.value / gibibyte : 0
}

function budgetUnknown({ host, service }: ActionContext, one: SimulatedResident): readonly Finding[] {
  if (one.budgetBytes?.known !== false) return []
  const words = { host: host.name, decision: `whether the budget of ${service.name} fits beside it` }
  return [factUnknown(`The budget of ${one.service ?? one.description}`, one.budgetBytes, words)]
}

function excess(input: {
  readonly fleet: Fleet
  readonly host: Host
  readonly service: Service
  readonly others: readonly Budget[]
  readonly ramBytes: number
}): readonly Finding[] {
  const { fleet, host, service, others, ramBytes } = input
  const all = [...others, desiredBudget(service)]
  const budgets = all.reduce((sum, one) => sum + one.gb, 0)
  const { headroomGb } = fleet.settings
  if ((budgets + headroomGb) * gibibyte <= ramBytes) return []
  return [
    {
      why: `With ${service.name}, the budgets on ${host.name} total ${budgets} GB. Together with ${headroomGb} GB of headroom, that exceeds the ${gib(ramBytes)} of RAM.`,
      evidence: [
        ...all.map(({ line }) => line),
        fleetLine(fleet, ['headroom_gb'], `headroom: ${headroomGb} GiB`),
        `${host.name}: ${gib(ramBytes)} of RAM`,
      ],
      next: [...all.flatMap(({ remedy }) => remedy ?? []), 'Or set `state: stopped` for one of them.'],
    },
  ]
}
