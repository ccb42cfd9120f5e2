/** The host to reach: from the inventory, or a jump host. */
export interface Destination {
  readonly name: string
  readonly port?: number
  readonly user?: string
  readonly privateKeyFile?: string
  /** Arguments for ssh itself, from the inventory. */
  readonly sshArgs: readonly string[]
}
