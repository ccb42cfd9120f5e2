import { describe, expect, it } from 'vitest'
import type { HostReport } from '../../src/model/report.ts'
import { applyExit } from '../../src/run/apply-exit.ts'

type Run = Parameters<typeof applyExit>[0]
type Planned = NonNullable<Parameters<typeof applyExit>[1]>

const problem = (code: string) => ({ code, summary: '', why: '', next: [] })
const result = { action: 'nas/coder/start', status: 'applied', ms: 1, done: [] } as const
const failed = { ...result, status: 'failed', problem: problem('APPLY.STEP_FAILED') } as const
const notProved = { ...failed, undone: 'restored', problem: problem('APPLY.NOT_PROVED') } as const
const heldBack = { ...result, status: 'not-run', problem: problem('APPLY.STALE') } as const
const smoke = { host: 'nas', service: 'coder', ok: false, checks: [] } as const
const nas = (given: Partial<HostReport> = {}): HostReport => ({ host: 'nas', reachable: true, actions: [], smoke: [], ...given })
const reported = (...hosts: readonly HostReport[]): Run => ({ hosts })

function planned({ refusals = 0, locked = [] }: { refusals?: number; locked?: readonly string[] } = {}): Planned {
  const warning = { ...problem('HOST.LOCKED'), actions: [], evidence: [], consentable: false }
  return {
    summary: { hosts: 1, changes: 1, refusals, warnings: locked.length, unreachable: 0 },
    hosts: locked.map((host) => ({
      host,
      reachable: true,
      actions: [],
      refusals: [],
      warnings: [warning],
      consented: [],
    })),
  }
}

describe('how an apply ends', () => {
  it.each<[string, number, Run, Planned]>([
    ['nothing was to be done', 0, reported(nas()), planned()],
    ['all was done', 0, reported(nas({ actions: [result] })), planned()],
    ['something was refused', 3, reported(nas({ actions: [result] })), planned({ refusals: 1 })],
    ['a host was away', 4, reported(nas(), nas({ reachable: false })), planned()],
    ['the connection broke before anything was done', 4, reported(nas({ problem: problem('CONNECT.TIMEOUT') })), planned()],
    ['a step failed', 5, reported(nas({ actions: [failed] })), planned({ refusals: 1 })],
    ['the host had changed since the plan', 5, reported(nas({ actions: [heldBack] })), planned()],
    ['a new server did not work and the old one is back', 6, reported(nas({ actions: [notProved], smoke: [smoke] })), planned()],
    ['it does not work', 6, reported(nas({ actions: [result], smoke: [smoke] })), planned()],
    [
      'a second plan finds something',
      6,
      { ...reported(nas({ actions: [result] })), second_plan: { changes: 1, actions: [] } },
      planned(),
    ],
    ['another run took the lock first', 8, reported(nas({ problem: problem('APPLY.LOCKED') })), planned()],
    ['another run is at work and nothing was to be done', 8, reported(nas()), planned({ locked: ['nas'] })],
    ['another run was at work and ended in time', 0, reported(nas({ actions: [result] })), planned({ locked: ['nas'] })],
  ])('%s: %i', (_, exit, report, plan) => {
    expect(applyExit(report, plan)).toBe(exit)
  })
})
