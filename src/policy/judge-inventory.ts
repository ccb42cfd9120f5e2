import type { Fleet } from '../model/fleet.ts'
import type { Refusal } from '../model/refusal.ts'
import { rules } from './index.ts'
import { refusalOf } from './refusal-of.ts'

/** What the rules say about one host's services without having seen the host. */
export interface InventoryVerdict {
  readonly host: string
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

/** Every rule that needs no host, for `converge validate`; hosts in the order of the inventory, those without findings included. */
export function judgeInventory(fleet: Fleet): readonly InventoryVerdict[] {
  return fleet.hosts.map((host) => {
    const wanted = host.services.filter((service) => service.state !== 'absent')
    const found = wanted.flatMap((service) =>
      rules.flatMap((rule) => {
        const findings = rule.checkInventory?.({ fleet, host, service }) ?? []
        const about = { host: host.name, service: service.name, actions: [] }
        return findings.map((finding) => ({ rule, refusal: refusalOf(rule, finding, about) }))
      }),
    )
    return {
      host: host.name,
      refusals: found.filter(({ rule }) => rule.severity === 'refuse').map(({ refusal }) => refusal),
      warnings: found.filter(({ rule }) => rule.severity === 'warn').map(({ refusal }) => refusal),
    }
  })
}
