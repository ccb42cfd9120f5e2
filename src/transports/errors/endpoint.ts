/** Whom an error is about, in the words of the person who reads it. */
export interface Endpoint {
  /** As the inventory calls it; a jump host as the ssh config calls it. */
  readonly host: string
  /** `op@nas.example port 22`, `this machine`. */
  readonly at: string
  /** What reaches the same place with OpenSSH: `ssh -p 2222 op@nas.example`. */
  readonly sshCommand: string
}
