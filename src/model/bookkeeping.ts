/** What a run does on a host beside the steps of its actions, as a plan shows it. */
export interface Bookkeeping {
  readonly label: string
  /** What it makes, writes or deletes. */
  readonly path: string
  /** What else there is to say about it. */
  readonly note?: string
  /** A running server may be replaced by it. */
  readonly interrupts?: true
}

/** What these are called, wherever they are shown. */
export const bookkeepingLabels = {
  takeLock: 'take the lock',
  keepLock: 'renew the lock',
  releaseLock: 'release the lock',
  claimPlan: 'mark the saved plan as applied',
  armTimer: (service: string) => `arm the rollback timer of ${service}`,
  keepTimer: (service: string) => `keep the rollback timer of ${service} until the new server works`,
  settleTimer: (service: string) => `prove ${service}, or have the host roll it back`,
  forgetTimers: 'delete what rollback timers left',
  writeRecord: (service: string) => `record what was applied to ${service}`,
  forgetRecord: (service: string) => `forget what was applied to ${service}`,
  disarmTimer: 'disarm the rollback timer',
} as const
