import { converge } from '../../lib/next-command.ts'
import type { Host } from '../../model/fleet.ts'
import type { NextStep } from '../../model/next-step.ts'
import { kindWords, needsPageCache, takesPageCache } from '../../servers/traits.ts'
import type { SimulatedResident } from '../../simulate/host-state.ts'
import type { Finding, Rule } from '../rule.ts'
import { factUnknown, gib, gibibyte, inventoryLine } from '../words.ts'
import { howToRemoveOrphan } from './service-forgotten.ts'

export const corunSecondKindA: Rule = {
  code: 'CORUN.SECOND_KIND_A',
  severity: 'refuse',
  title: 'A second Kind A server on a small-RAM host.',
  explain:
    'Two GGUF servers on a machine of the 32 GB class (`fleet.small_ram_gb`) compete for the page cache, and both become slow. Every resident ' +
    "server counts, no matter who started it: containers, another person's llama-server, the servers that Ollama and other local runners start. " +
    'Stop the other one first. If it is in the inventory, `state: stopped` makes the plan stop it in the right order.',
  consentable: true,
  checkInventory({ fleet, host, service }) {
    const small = fleet.settings.smallRamGb
    if (!needsPageCache(service.kind) || service.state !== 'running' || host.ramGb === undefined || host.ramGb > small) return []
    const first = host.services.find((one) => needsPageCache(one.kind) && one.state === 'running')
    if (first === undefined || first.name === service.name) return []
    return [
      {
        why: `${service.name} and ${first.name} cannot both run on ${host.name}, which has ${host.ramGb} GB of RAM. At ${small} GB or less, only one Kind A server runs at a time.`,
        evidence: [
          inventoryLine(host, ['ram_gb'], `${host.name}: ram_gb ${host.ramGb}`),
          inventoryLine(first, ['state'], `${first.name}: kind ${kindWords(first.kind)}, desired state running`),
          inventoryLine(service, ['state'], `${service.name}: kind ${kindWords(service.kind)}, desired state running`),
        ],
        next: [`Set \`state: stopped\` for ${first.name} or for ${service.name}.`, 'Or move one of them to another host.'],
      },
    ]
  },
  checkAction({ fleet, host, service, action, before }) {
    if (!needsPageCache(service.kind) || !action.starts) return []
    const { residents, ramTotalBytes: total } = before
    if (!residents.known) {
      const words = { host: host.name, decision: `whether another model server is resident beside ${service.name}` }
      return [factUnknown('The list of resident servers', residents, words)]
    }
    const others = residents.value.filter((one) => one.service !== service.name && takesPageCache(one.kind))
    if (others.length === 0) return []
    if (!total.known) {
      const words = { host: host.name, decision: `whether ${service.name} may run beside another server` }
      return [factUnknown('The memory', total, words)]
    }
    if (total.value > fleet.settings.smallRamGb * gibibyte) return []
    const runs = residents.value.some((one) => one.service === service.name)
    return [corunFinding({ name: service.name, runs }, host, others, { total: total.value, smallGb: fleet.settings.smallRamGb })]
  },
}

function corunFinding(
  service: { readonly name: string; readonly runs: boolean },
  host: Host,
  others: readonly SimulatedResident[],
  ram: { readonly total: number; readonly smallGb: number },
): Finding {
  return {
    why: `${host.name} has ${gib(ram.total)} of RAM, and ${whoRuns(others)}. ${slowness(service)}`,
    evidence: [
      `${host.name}: ${gib(ram.total)} of RAM; small means ${ram.smallGb} GiB or less`,
      ...others.map((one) => `in memory: ${describe(one)}, ${gib(one.rssBytes)}`),
    ],
    next: [
      ...others.map((one) => remedyFor(one, host)),
      ...(service.runs ? [`Or set \`state: stopped\` for ${service.name}.`] : []),
    ],
  }
}

function whoRuns(others: readonly SimulatedResident[]): string {
  const [started, running] = [others.filter(isStartedByPlan), others.filter((one) => !isStartedByPlan(one))]
  return [
    ...(running.length === 0 ? [] : [`${running.map(describe).join(' and ')} ${running.length === 1 ? 'runs' : 'run'} there`]),
    ...(started.length === 0 ? [] : [`this plan starts ${started.map((one) => one.service).join(' and ')} there`]),
  ].join(', and ')
}

function isStartedByPlan({ seen, service }: SimulatedResident): boolean {
  return seen === undefined && service !== null
}

function slowness({ name, runs }: { readonly name: string; readonly runs: boolean }): string {
  if (!runs) return `A second Kind A server would slow both down.`
  return `${name} also runs, and both are slow. converge leaves it running, but does not restart it.`
}

function describe(one: SimulatedResident): string {
  if (one.orphaned !== undefined) return `${one.orphaned} (no longer in the inventory; ${one.description})`
  return one.service === null ? one.description : `${one.service} (${one.description})`
}

function remedyFor(one: SimulatedResident, { name: host, services }: Host): NextStep {
  // Only an override has it run.
  if (services.some(({ name, override }) => name === one.service && override?.inventory === 'stopped'))
    return converge(['stop', `${one.service}@${host}`], { say: `Stop ${one.service}, which the inventory wants stopped:` })
  if (one.service !== null) return `Set \`state: stopped\` for ${one.service}, then plan again.`
  if (one.orphaned !== undefined) return howToRemoveOrphan(one.orphaned, host)
  return `Stop ${one.description} on ${host} yourself: converge does not manage it.`
}
