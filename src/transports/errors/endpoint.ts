/** The host that an error is about, as its reader knows it. */
export interface Endpoint {
  /** Its name in the inventory; for a jump host, in the ssh config. */
  readonly host: string
  /** `op@nas.example port 22`, `this machine`. */
  readonly at: string
  /** The OpenSSH command that reaches the same host: `ssh -p 2222 op@nas.example`. */
  readonly sshCommand: string
}
