import type { SecretText } from '../../model/secret.ts'
import type { Endpoint } from '../endpoint.ts'

/** A file that a client reads. Its text depends on nothing but the endpoints, so it can be kept in git. */
export interface EndpointFormat {
  /** What clients do if several endpoints have the same model; continues `2 servers have the model coder: …`. */
  readonly shared: string
  /** Lines for the reader of the file, without the comment sign. */
  readonly advice: readonly string[]
  /** What the file cannot hold of an endpoint. Undefined: it holds everything. */
  readonly unfit: (endpoint: Endpoint) => Unfit | undefined
  /** @param head comment lines at the beginning */
  readonly write: (endpoints: readonly Endpoint[], head: readonly string[]) => SecretText
}

export interface Unfit {
  readonly what: 'model' | 'key' | 'address'
  /** `contains a semicolon, which separates …` */
  readonly why: string
}

/** The key of servers without one: clients that find none would send that of another service, or refuse to start. */
export const noKey = 'none'
