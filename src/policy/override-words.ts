import type { ActiveOverride, Override } from '../model/operation.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** `stopped until 2026-11-27 06:00 UTC (anna@mac: games)`. */
export function overrideWords(override: Override): string {
  const { state, by, reason } = override
  return `${state} ${untilWords(override)} (${by}${reason === undefined ? '' : `: ${reason}`})`
}

/** `until the next apply`. */
export function untilWords({ until }: Pick<Override, 'until'>): string {
  if (until === 'next-apply') return 'until the next apply'
  if (until === 'revert') return 'until it is reverted'
  return `until ${until.slice(0, 16).replace('T', ' ')} UTC`
}

/** What the inventory wants, and what ends an override that holds. */
export function endOf({ until, inventory }: Pick<ActiveOverride, 'until' | 'inventory'>): string {
  const verb = inventory === 'running' ? 'starts' : 'stops'
  const wants = `The inventory wants it ${inventory}:`
  if (until === 'next-apply') return `${wants} the next apply ${verb} it again.`
  if (until === 'revert') return `${wants} \`converge ${inventory === 'running' ? 'start' : 'stop'}\` reverts it.`
  return `${wants} the first apply after that ${verb} it again.`
}

/** Why an action is planned that a person asked for, and what the inventory says. */
export function askedForWords({ asked, service }: Pick<ServiceCase, 'asked' | 'service'>): string {
  const { override, state } = service
  const reason = asked?.operation.reason
  const why = reason === undefined ? '' : ` (${reason})`
  if (override !== undefined && asked?.operation.override !== undefined)
    return `Asked for ${untilWords(override)}${why}. ${endOf(override)}`
  if (asked === undefined || asked.inventory === state || override !== undefined) return `Asked for${why}.`
  return `Asked for${why}. ${endOf({ until: 'next-apply', inventory: asked.inventory })}`
}
