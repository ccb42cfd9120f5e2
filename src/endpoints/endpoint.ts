import type { SecretReference } from '../model/fleet.ts'
import type { Secret } from '../model/secret.ts'

/** What clients need to use a model. */
export interface Endpoint {
  readonly host: string
  readonly service: string
  /** The model's name in requests. */
  readonly model: string
  /** Ends with `/v1`, without a slash behind it. */
  readonly baseUrl: string
  /** Begins the names of its environment variables: `CODER_NAS`. No other service of the fleet has the same. */
  readonly prefix: string
  /** Absent: the server requires no key. */
  readonly key?: EndpointKey
}

export interface EndpointKey {
  readonly reference: SecretReference
  /** The file of its reference as the inventory names it: relative paths start at the inventory's folder. */
  readonly file?: string
  /** The environment variable in which clients expect it. */
  readonly variable: string
  /** Absent: the list contains only the reference. */
  readonly value?: Secret
}

/** A service that is not in the list, or is in it with a reservation. */
export interface EndpointNote {
  readonly host: string
  readonly service: string
  /** Stands in parentheses behind the service: `listening on 127.0.0.1, …`. */
  readonly because: string
}

export interface EndpointList {
  /** In inventory order. */
  readonly endpoints: readonly Endpoint[]
  readonly unlisted: readonly EndpointNote[]
  /** About endpoints of the list. */
  readonly doubts: readonly EndpointNote[]
}

/** `coder@nas` */
export function nameOfEndpoint({ service, host }: Pick<Endpoint, 'service' | 'host'>): string {
  return `${service}@${host}`
}
