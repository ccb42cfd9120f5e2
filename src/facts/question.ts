/** What the probe is asked to look at on one host; everything else it reports by itself. Paths may start with `@root/` or `@home/`. */
export interface FactQuestion {
  readonly host: string
  /** Absolute; absent: the default for the account. */
  readonly convergeDir?: string
  readonly org: string
  readonly salt: string
  readonly definitions: readonly string[]
  readonly keyFiles: readonly string[]
  readonly models: readonly string[]
  readonly executables: readonly string[]
  readonly units: readonly string[]
  readonly containers: readonly string[]
  readonly images: readonly string[]
  /** Names of environment variables of Kind B processes that may be read (`SRV_MODEL`, `CTX`, …); keys among them come back salted. */
  readonly environment: readonly { readonly name: string; readonly secret: boolean }[]
  /** Where HTTP facts are wanted: service name, port, kind. */
  readonly http: readonly { readonly service: string; readonly port: number; readonly kind: 'A' | 'B' }[]
}
