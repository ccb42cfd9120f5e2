/** What a run does on a host besides the steps of its actions, as a plan shows it. */
export interface Bookkeeping {
  readonly label: string
  /** What it creates, writes or deletes. */
  readonly path: string
  /** Further information. */
  readonly note?: string
  /** It may replace a running server. */
  readonly interrupts?: true
}

/** Their labels, wherever they are shown. */
export const bookkeepingLabels = {
  takeLock: 'take the lock',
  keepLock: 'renew the lock',
  releaseLock: 'release the lock',
  claimPlan: 'mark the saved plan as applied',
  armTimer: (service: string) => `arm the rollback timer of ${service}`,
  keepTimer: (service: string) => `keep the rollback timer of ${service} until the new server works`,
  settleTimer: (service: string) => `test ${service}, or have the host roll it back`,
  forgetTimers: 'delete what rollback timers left',
  writeRecord: (service: string) => `record what was applied to ${service}`,
  forgetRecord: (service: string) => `forget what was applied to ${service}`,
  disarmTimer: 'disarm the rollback timer',
} as const
