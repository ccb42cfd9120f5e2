import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Refusal } from '../model/refusal.ts'
import { rules } from './index.ts'
import { refusalOf } from './refusal-of.ts'
import type { InventoryContext } from './rule.ts'

/** What the rules say about one host's services without having seen the host. */
export interface InventoryVerdict {
  readonly host: string
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

/** Every rule that needs no host, for `converge validate`; hosts in the order of the inventory, those without findings included. */
export function judgeInventory(fleet: Fleet): readonly InventoryVerdict[] {
  return fleet.hosts.map((host) => judgeUnseen(fleet, host, host.services))
}

/** The same for one host that could not be looked at, and some of its services. */
export function judgeUnseen(fleet: Fleet, host: Host, services: readonly Service[]): InventoryVerdict {
  const found = services.filter(({ state }) => state !== 'absent').flatMap((service) => judgeWanted({ fleet, host, service }))
  return {
    host: host.name,
    refusals: found.filter(({ rule }) => rule.severity === 'refuse').map(({ refusal }) => refusal),
    warnings: found.filter(({ rule }) => rule.severity === 'warn').map(({ refusal }) => refusal),
  }
}

function judgeWanted(context: InventoryContext) {
  const about = { host: context.host.name, service: context.service.name, actions: [] }
  return rules.flatMap((rule) => {
    const findings = rule.checkInventory?.(context) ?? []
    return findings.map((finding) => ({ rule, refusal: refusalOf(rule, finding, about) }))
  })
}
