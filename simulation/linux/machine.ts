/** The machine around systemd. */
export interface Machine {
  readonly hostname: string
  readonly kernel: string
  readonly arch: string
  /** `PRETTY_NAME` of os-release. */
  readonly distribution: string
  memoryBytes: number
  /** What programs outside the simulation hold. */
  usedBytes: number
  readonly diskBytes: number
  readonly diskUsedBytes: number
  readonly bootId: string
  /** Milliseconds since the epoch. */
  readonly bootedAt: number
}
