import { isManagedService } from '../inventory/is-managed-service.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { Refusal } from '../model/refusal.ts'
import { rules } from './index.ts'
import { refusalOf } from './refusal-of.ts'
import type { InventoryContext } from './rule.ts'

/** The findings about the services of one host, from the inventory alone. */
export interface InventoryVerdict {
  readonly host: string
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

/** Runs every rule that needs no host, for `converge validate`. Hosts are in inventory order and include those without findings. */
export function judgeInventory(fleet: Fleet): readonly InventoryVerdict[] {
  return fleet.hosts.map((host) => judgeUnseen(fleet, host, host.services))
}

/** The same for some services of one host that could not be reached. */
export function judgeUnseen(fleet: Fleet, host: Host, services: readonly Service[]): InventoryVerdict {
  const found = services.filter(isManagedService).flatMap((service) => judgeService({ fleet, host, service }))
  return {
    host: host.name,
    refusals: found.filter(({ rule }) => rule.severity === 'refuse').map(({ refusal }) => refusal),
    warnings: found.filter(({ rule }) => rule.severity === 'warn').map(({ refusal }) => refusal),
  }
}

function judgeService(context: InventoryContext) {
  const about = { host: context.host.name, service: context.service.name, actions: [] }
  return rules.flatMap((rule) => {
    const findings = rule.checkInventory?.(context) ?? []
    return findings.map((finding) => ({ rule, refusal: refusalOf(rule, finding, about) }))
  })
}
