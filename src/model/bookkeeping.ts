/** What a run does on a host beside the steps of its actions, as a plan shows it. */
export interface Bookkeeping {
  readonly label: string
  /** What it makes, writes or deletes. */
  readonly path: string
  /** What comes of it later, without this run. */
  readonly note?: string
}

/** What these are called, wherever they are shown. */
export const bookkeepingLabels = {
  takeLock: 'take the lock',
  keepLock: 'renew the lock',
  releaseLock: 'release the lock',
  claimPlan: 'mark the saved plan as applied',
  armTimer: (service: string) => `arm the rollback timer of ${service}`,
  writeRecord: (service: string) => `record what was applied to ${service}`,
  forgetRecord: (service: string) => `forget what was applied to ${service}`,
  disarmTimer: 'disarm the rollback timer',
} as const
