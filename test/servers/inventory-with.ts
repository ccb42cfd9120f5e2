import { stringify } from 'yaml'
import { parseYaml } from '../../src/inventory/parse.ts'
import { type FleetReading, readFleet } from '../../src/inventory/read-fleet.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import type { Service } from '../../src/model/fleet.ts'

/** Ansible reads some words without quotes, such as `on`, as other values. */
const options = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const

/** Reads an inventory with one host and one service of these fields, as `validate` does. */
export function inventoryWith(fields: Readonly<Record<string, unknown>>): FleetReading {
  const all = { vars: { fleet: { org: 'example' } }, hosts: { box: { platform: 'linux', services: { one: fields } } } }
  const text = stringify({ all }, options)
  const file = { file: 'hosts.yaml', ...parseYaml(sourceText('hosts.yaml', text)) }
  return readFleet({ path: 'hosts.yaml', folder: '', hosts: [file], vars: [] })
}

/** The service of such an inventory. */
export function serviceWith(fields: Readonly<Record<string, unknown>>): Service {
  const { fleet, issues } = inventoryWith(fields)
  const service = fleet?.hosts[0]?.services[0]
  if (service === undefined) throw new Error(issues.map(({ message }) => message).join('\n'))
  return service
}
