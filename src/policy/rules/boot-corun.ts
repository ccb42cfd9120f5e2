import { ownMember } from '../../lib/own-member.ts'
import { needsPageCache } from '../../servers/traits.ts'
import type { SimulatedResident } from '../../simulate/host-state.ts'
import { nominalRam } from '../host-ram.ts'
import type { Finding, HostContext, Rule } from '../rule.ts'
import { gib, gibibyte } from '../words.ts'

export const bootCorun: Rule = {
  code: 'BOOT.CORUN',
  severity: 'warn',
  title: 'The services that start at boot conflict.',
  explain:
    'Servers start automatically at the next boot or login. The cause is a restart policy, an enabled unit, or a launchd job whose KeepAlive ' +
    'implies a start. Together they would exceed the memory, or the limit of one Kind A at a time on a small machine. Decide now which of them ' +
    'starts, and disable the others.',
  consentable: false,
  checkHost(context) {
    return [...secondKindA(context), ...tooMuchMemory(context)]
  },
}

function secondKindA({ fleet, host, after }: HostContext): readonly Finding[] {
  const { ramTotalBytes: total } = after
  const smallGb = fleet.settings.smallRamGb
  if (!total.known || total.value > smallGb * gibibyte) return []
  const starting = kindANames(host.services, after)
  if (starting.length < 2) return []
  return [
    {
      why: `At the next boot of ${host.name}, ${starting.join(' and ')} start automatically. With ${gib(total.value)} of RAM, only one Kind A server should run.`,
      evidence: starting.map((name) => `starts at boot: ${name}`),
      next: ['Let only one of them start at boot: set `state: stopped` for the others, and disable unmanaged ones.'],
    },
  ]
}

/** Services of the inventory that start at boot, running or not, and foreign servers that do. */
function kindANames(services: HostContext['host']['services'], after: HostContext['after']): readonly string[] {
  const ours = services.filter((one) => needsPageCache(one.kind) && ownMember(after.services, one.name)?.startsAtBoot === true)
  return [
    ...ours.map((one) => one.name),
    ...bootResidents(after)
      .filter(isForeignKindA)
      .map((one) => one.description),
  ]
}

function tooMuchMemory({ fleet, host, after }: HostContext): readonly Finding[] {
  const total = nominalRam(host, after.ramTotalBytes)
  if (!total.known) return []
  const starting = bootResidents(after)
  const needed = starting.reduce((sum, one) => sum + bootBytes(one), 0)
  const room = total.value - fleet.settings.headroomGb * gibibyte
  if (starting.length < 2 || needed <= room) return []
  return [
    {
      why: `The servers that start at the next boot of ${host.name} need ${gib(needed)} together, but only ${gib(Math.max(0, room))} is available.`,
      evidence: starting.map((one) => `starts at boot: ${one.service ?? one.description}, ${gib(bootBytes(one))}`),
      next: ['Let fewer of them start at boot.'],
    },
  ]
}

function bootBytes({ ownBytes, mappedBytes, dueBytes }: SimulatedResident): number {
  return ownBytes + mappedBytes + (dueBytes.known ? dueBytes.value : 0)
}

function bootResidents(after: HostContext['after']): readonly SimulatedResident[] {
  return after.residents.known ? after.residents.value.filter((one) => one.startsAtBoot) : []
}

function isForeignKindA(one: SimulatedResident): boolean {
  return one.service === null && one.kind !== 'runner' && needsPageCache(one.kind)
}
