import type { Host } from '../model/fleet.ts'
import type { Paint } from './paint.ts'
import { renderTable } from './table.ts'

/** What `converge hosts --json` prints. */
export interface HostsDocument {
  readonly schema: 'converge/hosts/v1'
  readonly pattern: string
  readonly hosts: readonly { readonly host: string; readonly groups: readonly string[]; readonly services: readonly string[] }[]
}

export function hostsDocument(
  pattern: string,
  hosts: readonly Host[],
  services: (host: Host) => readonly string[],
): HostsDocument {
  return {
    schema: 'converge/hosts/v1',
    pattern,
    hosts: hosts.map((host) => ({ host: host.name, groups: host.groups, services: services(host) })),
  }
}

/** A name per line when piped, so that scripts can read it; a table on a terminal. */
export function renderHosts(document: HostsDocument, options: { readonly paint: Paint; readonly table: boolean }): string {
  if (!options.table) return document.hosts.map((one) => `${one.host}\n`).join('')
  const head = ['HOST', 'GROUPS', 'SERVICES'].map((title) => options.paint(['dim'], title))
  return renderTable(
    head,
    document.hosts.map((one) => [options.paint(['bold'], one.host), one.groups.join(', '), one.services.join(', ')]),
    options.paint,
  )
}
