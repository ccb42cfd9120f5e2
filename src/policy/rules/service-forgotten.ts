import type { LaunchdDomain } from '../../model/names.ts'
import { orphanedServices } from '../../simulate/orphaned.ts'
import type { Rule } from '../rule.ts'

export const serviceForgotten: Rule = {
  code: 'SERVICE.FORGOTTEN',
  severity: 'warn',
  title: 'The host has an orphaned service of this fleet.',
  explain:
    'The inventory no longer names a service that converge installed. Its container, unit, agent or daemon carries the ownership label of this fleet, or the host ' +
    'has the record of its last apply. converge touches only services that the inventory names. This one keeps running, starts again at every ' +
    'boot or login, and keeps its port and memory. Put it back with `state: absent`, apply, then remove it from the inventory.',
  consentable: false,
  checkHost({ fleet, host, facts }) {
    return orphanedServices(fleet, host, facts).map(({ service, evidence, container, unit, domain }) => ({
      service,
      why: `converge installed ${service} on ${host.name}, but the inventory no longer names it there. Nothing stops or updates it.`,
      evidence: [container === undefined ? evidence : `container ${evidence}`],
      next: [howToRemoveOrphan(service, host.name, { unit, domain })],
    }))
  },
}

/** Deleting a service from the inventory does not remove it from the host; this does. */
export function howToRemoveOrphan(
  service: string,
  host: string,
  { unit, domain }: { readonly unit?: string | undefined; readonly domain?: LaunchdDomain | undefined } = {},
): string {
  const place = domain === 'system' ? ' and `domain: system`' : ''
  const name = unit === undefined || unit === `${service}.service` ? '' : ` and \`unit: ${unit}\``
  return `Put ${service} back into the inventory of ${host} with \`state: absent\`${place}${name}, then apply.`
}
