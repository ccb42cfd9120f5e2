import { ownMember } from '../../lib/own-member.ts'
import type { DefinitionFile, HostFacts, Resident, UnitFact } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed, unknown } from '../../model/observed.ts'
import { unitName, unitPath } from './definition.ts'

export function seenDefinition(service: Service, facts: Pick<HostFacts, 'definitions'>): Observed<DefinitionFile | null> {
  return facts.definitions[unitPath(service)] ?? unknown('not-gathered', 'the probe was not asked for the unit file')
}

/** Null: systemd has no unit of that name, or does not run this host. A unit without a file is known while it runs. */
export function seenUnit(service: Service, { systemd }: HostFacts): Observed<UnitFact | null> {
  if (!systemd.known) return systemd
  const unit = ownMember(systemd.value.units, unitName(service))
  if (unit === undefined) {
    return systemd.value.version === null
      ? known(null)
      : unknown('not-gathered', `the probe was not asked for ${unitName(service)}`)
  }
  return known(unit.loadState === 'not-found' && !isUp(unit) ? null : unit)
}

/** Whether systemd has a process of it, or is about to start one, as between two starts. */
export function isUp({ activeState }: UnitFact): boolean {
  return activeState !== 'inactive' && activeState !== 'failed'
}

/** The unit's main process as the probe saw it; null: none right now. */
export function seenProcess({ mainPid }: UnitFact, { residents }: HostFacts): Observed<Resident | null> {
  if (mainPid === 0) return known(null)
  if (!residents.known) return residents
  const main = residents.value.find(({ pid }) => pid === mainPid)
  return main === undefined
    ? unknown('unreadable', `process ${mainPid} of the unit is not among the observed model servers`)
    : known(main)
}
