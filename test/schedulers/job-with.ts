import type { Account, ScheduledJob } from '../../src/schedulers/job.ts'

/** An hourly drift job; everything about the machine is fixed. */
export function jobWith(more: Partial<ScheduledJob> = {}): ScheduledJob {
  return {
    name: 'drift',
    verb: 'drift',
    everyS: 3600,
    jitterS: 300,
    limitS: 1800,
    program: ['/usr/bin/node', '/opt/converge/dist/main.js'],
    args: ['--inventory', '/home/op/fleet', '--changed'],
    cwd: '/home/op',
    folder: '/home/op/.local/state/converge/schedule/drift',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/op', CONVERGE_STATE_DIR: '/home/op/.local/state/converge' },
    secrets: ['CODER_KEY', 'FLAGSHIP_KEY'],
    ...more,
  }
}

export const op: Account = { uid: 1000, home: '/home/op', configHome: '/home/op/.config' }
export const root: Account = { uid: 0, home: '/root', configHome: '/root/.config' }
