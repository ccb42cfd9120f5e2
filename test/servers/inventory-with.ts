import { stringify } from 'yaml'
import { parseYaml } from '../../src/inventory/parse.ts'
import { type FleetReading, readFleet } from '../../src/inventory/read-fleet.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { Platform } from '../../src/model/names.ts'

/** Ansible reads some words without quotes, such as `on`, as other values. */
const options = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const

type Fields = Readonly<Record<string, unknown>>

/** Reads an inventory with one host and one service of these fields, as `validate` does. */
export function inventoryWith(fields: Fields): FleetReading {
  return readHosts({ box: { platform: 'linux', services: { one: fields } } })
}

function readHosts(hosts: Fields): FleetReading {
  const text = stringify({ all: { vars: { fleet: { org: 'example' } }, hosts } }, options)
  const file = { file: 'hosts.yaml', ...parseYaml(sourceText('hosts.yaml', text)) }
  return readFleet({ path: 'hosts.yaml', folder: '', hosts: [file], vars: [] })
}

/** The service of such an inventory. */
export function serviceWith(fields: Fields): Service {
  const [service] = servicesWith([{ name: 'one', fields }], 'linux')
  if (service === undefined) throw new Error('no service was read')
  return service
}

/** The services of an inventory, each on a host of its own, which is called `box` and its number. */
export function servicesWith(
  services: readonly { readonly name: string; readonly fields: Fields }[],
  platform: Platform,
): readonly Service[] {
  const hosts = services.map(({ name, fields }, index) => [`box${index}`, { platform, services: { [name]: fields } }] as const)
  const { fleet, issues } = readHosts(Object.fromEntries(hosts))
  if (fleet === undefined) throw new Error(issues.map(({ message }) => message).join('\n'))
  return fleet.hosts.flatMap((host) => host.services)
}
