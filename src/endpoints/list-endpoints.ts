import { defined } from '../lib/defined.ts'
import type { Fleet, Host, SecretReference, Service } from '../model/fleet.ts'
import type { WantedState } from '../model/names.ts'
import { clientAddress } from './client-address.ts'
import type { Endpoint, EndpointList, EndpointNote } from './endpoint.ts'
import { prefixesOf, variableOf } from './variables.ts'

export interface EndpointQuestion {
  readonly selects: (service: Service) => boolean
  /** The host on which the clients run; absent: anywhere. */
  readonly on?: string | undefined
  /** Whether to list unmanaged services as well. */
  readonly unmanaged?: boolean
}

const notListed: Readonly<Record<WantedState, string | undefined>> = {
  running: undefined,
  stopped: 'stopped in the inventory',
  absent: 'absent in the inventory',
  unmanaged: 'unmanaged, so it may not run; --healthy asks it',
}

/** The endpoints of a fleet from the inventory alone. */
export function listEndpoints(fleet: Fleet, question: EndpointQuestion): EndpointList {
  const names = { prefixes: prefixesOf(fleet), path: fleet.path }
  const seen = fleet.hosts.flatMap((host) =>
    host.services.filter(question.selects).map((service) => lookAt(host, service, { ...question, ...names })),
  )
  return {
    endpoints: seen.flatMap((one) => ('endpoint' in one ? [one.endpoint] : [])),
    unlisted: seen.flatMap((one) => ('unlisted' in one ? [one.unlisted] : [])),
    doubts: seen.flatMap((one) => ('endpoint' in one ? (one.doubt ?? []) : [])),
  }
}

type Seen = { readonly endpoint: Endpoint; readonly doubt?: EndpointNote } | { readonly unlisted: EndpointNote }

interface Names {
  readonly prefixes: ReadonlyMap<string, string>
  /** Of the inventory. */
  readonly path: string
}

function lookAt(host: Host, service: Service, { on, unmanaged = false, prefixes, path }: EndpointQuestion & Names): Seen {
  const about = { host: host.name, service: service.name }
  const because = unmanaged && service.state === 'unmanaged' ? undefined : notListed[service.state]
  const found = because === undefined ? clientAddress(host, service, on) : { because }
  if ('because' in found) return { unlisted: { ...about, because: found.because } }
  const prefix = prefixes.get(`${host.name}/${service.name}`) ?? ''
  const { key: reference } = service
  const key =
    reference === undefined
      ? undefined
      : { reference, variable: variableOf(reference, prefix), ...defined({ file: fileOf(reference, path) }) }
  return {
    endpoint: { ...about, model: service.alias, baseUrl: found.baseUrl, prefix, ...defined({ key }) },
    ...(found.doubt === undefined ? {} : { doubt: { ...about, because: found.doubt } }),
  }
}

/** Without the folder of the inventory, whose path depends on where converge is run. */
function fileOf(reference: SecretReference, inventory: string): string | undefined {
  if (!('file' in reference)) return undefined
  const folders = [inventory, inventory.slice(0, Math.max(inventory.lastIndexOf('/'), 0))].map(
    (one) => `${one.replace(/\/+$/, '')}/`,
  )
  const folder = folders.find((one) => one !== '/' && reference.file.startsWith(one)) ?? ''
  return reference.file.slice(folder.length)
}
