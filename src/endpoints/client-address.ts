import { isEveryAddress, isExposed } from '../lib/addresses.ts'
import type { Host, Service } from '../model/fleet.ts'
import { serverKinds } from '../servers/index.ts'
import { speaksTls } from '../servers/speaks-tls.ts'

export type ClientAddress =
  | {
      readonly baseUrl: string
      /** The server may reject requests to this address; absent: nothing indicates that. */
      readonly doubt?: string
    }
  /** Clients do not reach it. */
  | { readonly because: string }

/**
 * Where clients reach a service: at the one address that it binds to, or at the address of its host.
 *
 * @param on the host on which the clients run; undefined: anywhere
 */
export function clientAddress(host: Host, service: Service, on: string | undefined): ClientAddress {
  const { bind } = service
  const isNear = host.name === on
  if (bind.includes('/') || bind.endsWith('.sock')) return { because: 'listening on a Unix socket' }
  if (!isExposed(bind))
    return isNear ? urlOf(bind, service) : { because: `listening on ${bind}, which only its own host reaches` }
  if (!isEveryAddress(bind)) return urlOf(bind, service)
  const address = addressOf(host, service)
  if (!isExposed(address) && !isNear)
    return { because: `at ${address}, which only its own host reaches; set client_address for the host` }
  const url = urlOf(address, service)
  return 'baseUrl' in url && isRejected(address, service)
    ? { ...url, doubt: `it rejects requests to ${address}, which is not in its allowed_hosts` }
    : url
}

/** A server that checks the names of hosts knows the names that clients use. */
function addressOf({ clientAddress: given, connection }: Host, { allowedHosts }: Service): string {
  const general = given ?? connection.address
  if (allowedHosts.includes('*') || allowedHosts.includes(general)) return general
  return allowedHosts.find(isExposed) ?? general
}

function isRejected(address: string, { kind, allowedHosts }: Service): boolean {
  return serverKinds[kind].checksHost === true && !allowedHosts.some((name) => name === '*' || name === address)
}

/** A name, or an IPv4 or IPv6 address without a zone. */
const address = /^(?:[\p{L}\p{N}_.-]+|[\da-f.]*:[\da-f:.]+)$/iu

function urlOf(text: string, service: Service): ClientAddress {
  const bare = text.replace(/^\[|\]$/g, '')
  const base = serverKinds[service.kind].smoke(service).models.path.replace(/\/models$/, '')
  const host = bare.includes(':') ? `[${bare}]` : bare
  const url = `${speaksTls(service) ? 'https' : 'http'}://${host}:${service.port}${encodeURI(base)}`
  return address.test(bare) && URL.canParse(url) ? { baseUrl: url } : { because: `no URL can contain its address ${text}` }
}
