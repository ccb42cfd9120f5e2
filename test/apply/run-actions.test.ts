import { describe, expect, it } from 'vitest'
import { type PreparedAction, runActions } from '../../src/apply/run-actions.ts'
import type { Action } from '../../src/model/action.ts'
import { shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

const ready = (action: Action, script: string): PreparedAction => {
  const step = { do: 'run', label: 'act', guards: [], script, args: [], timeoutMs: 5000 } as const
  return {
    action,
    group: { action: action.id, service: action.service, precheck: [], steps: [step], postcheck: [], undo: [] },
    record: null,
  }
}

const interruptedLook = () => Promise.reject(new DOMException('This operation was aborted', 'AbortError'))

describe('the actions of a host', () => {
  const [stop, forget, start] = [
    actionOf('mac', 'old', 'stop'),
    actionOf('mac', 'old', 'remove'),
    actionOf('mac', 'new', 'start'),
  ]

  it('are judged anew after a failure, so that nothing starts because of a stop that did not happen', async () => {
    await using host = await shTransport()
    const asked: string[][] = []
    const refused = { code: 'PLAN.TEST', summary: 'A second server would run.', why: '', next: [] }
    const prepare = async (remaining: readonly Action[]): Promise<readonly PreparedAction[]> => {
      asked.push(remaining.map((action) => action.id))
      if (asked.length === 1) return remaining.map((action) => ready(action, action.kind === 'stop' ? 'exit 1' : 'true'))
      return remaining.map((action) => ({ action, problem: refused }))
    }
    const context = { host: 'mac', transport: host, clock: jumpingClock(), nonce, emit: () => undefined }
    const acted = await runActions({ actions: [stop, forget, start], prepare }, context)
    expect(asked).toEqual([['mac/old/stop', 'mac/old/remove', 'mac/new/start'], ['mac/new/start']])
    expect(acted.results).toMatchObject([
      { status: 'failed', problem: { code: 'APPLY.STEP_FAILED' } },
      { status: 'not-run', left: 'an earlier action on this service was not done' },
      { status: 'not-run', problem: refused },
    ])
  })

  it('are told one by one when an interrupt falls into the second look', async () => {
    await using host = await shTransport()
    const context = { host: 'mac', transport: host, clock: jumpingClock(), nonce, emit: () => undefined }
    const acted = await runActions({ actions: [stop, start], prepare: interruptedLook }, context)
    expect(acted.results).toMatchObject([{ status: 'not-run' }, { status: 'not-run' }])
    expect(acted.problem?.why).toContain('interrupted')
  })

  it('are not run when the second look finds them unnecessary', async () => {
    await using host = await shTransport()
    const context = { host: 'mac', transport: host, clock: jumpingClock(), nonce, emit: () => undefined }
    const acted = await runActions({ actions: [start], prepare: async () => [] }, context)
    expect(acted).toEqual({
      results: [expect.objectContaining({ status: 'not-needed' })],
      ready: [],
    })
  })
})
