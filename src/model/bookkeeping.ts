/** What a run does on a host beside the steps of its actions, as a plan shows it. */
export interface Bookkeeping {
  readonly label: string
  /** What it makes, writes or deletes. */
  readonly path: string
}

/** What these are called, wherever they are shown. */
export const bookkeepingLabels = {
  takeLock: 'take the lock',
  keepLock: 'keep the lock',
  releaseLock: 'give the lock back',
  claimPlan: 'remember that the saved plan is applied',
  armTimer: (service: string) => `leave a way back for ${service} that the host goes by itself`,
  writeRecord: (service: string) => `record what was applied to ${service}`,
  forgetRecord: (service: string) => `forget what was applied to ${service}`,
  disarmTimer: 'tell the host that nothing has to be put back',
} as const
