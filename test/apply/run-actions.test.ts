import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Journal } from '../../src/apply/journal.ts'
import type { HostContext, PreparedAction } from '../../src/apply/prepared-action.ts'
import { runActions } from '../../src/apply/run-actions.ts'
import { createStepJournal } from '../../src/apply/step-journal.ts'
import type { Action } from '../../src/model/action.ts'
import { memoryJournal, runOn } from '../support/memory-journal.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
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

const contextOf = (transport: ShTransport, journal: Journal = memoryJournal()): HostContext => ({
  host: 'mac',
  transport,
  clock: jumpingClock(),
  nonce,
  emit: () => undefined,
  journal: createStepJournal(journal, runOn('mac', transport.folder)),
})

const run = (script: string) => ({ do: 'run', label: script, guards: [], script, args: [], timeoutMs: 5000 }) as const

const touching = async (remaining: readonly Action[]) => remaining.map((action) => ready(action, `touch ${action.service}`))

const interruptedLook = () => Promise.reject(new DOMException('This operation was aborted', 'AbortError'))

describe('the actions of a host', () => {
  const [stop, forget, start] = [
    actionOf('mac', 'old', 'stop'),
    actionOf('mac', 'old', 'remove'),
    actionOf('mac', 'new', 'start'),
  ]

  it('are judged again after a failure, so that nothing starts because of a failed stop', async () => {
    await using host = await shTransport()
    const asked: string[][] = []
    const refused = { code: 'PLAN.TEST', summary: 'A second server would run.', why: '', next: [] }
    const prepare = async (remaining: readonly Action[]): Promise<readonly PreparedAction[]> => {
      asked.push(remaining.map((action) => action.id))
      if (asked.length === 1) return remaining.map((action) => ready(action, action.kind === 'stop' ? 'exit 1' : 'true'))
      return remaining.map((action) => ({ action, problem: refused }))
    }
    const context = contextOf(host)
    const acted = await runActions({ actions: [stop, forget, start], prepare }, context)
    expect(asked).toEqual([['mac/old/stop', 'mac/old/remove', 'mac/new/start'], ['mac/new/start']])
    expect(acted.results).toMatchObject([
      { status: 'failed', problem: { code: 'APPLY.STEP_FAILED' } },
      { status: 'not-run', left: 'an earlier action on this service failed' },
      { status: 'not-run', problem: refused },
    ])
  })

  it('are reported one by one when an interrupt hits the second look', async () => {
    await using host = await shTransport()
    const context = contextOf(host)
    const acted = await runActions({ actions: [stop, start], prepare: interruptedLook }, context)
    expect(acted.results).toMatchObject([{ status: 'not-run' }, { status: 'not-run' }])
    expect(acted.problem?.why).toContain('interrupted')
  })

  it('are not run when the second look finds them unnecessary', async () => {
    await using host = await shTransport()
    const context = contextOf(host)
    const acted = await runActions({ actions: [start], prepare: async () => [] }, context)
    expect(acted).toEqual({
      results: [expect.objectContaining({ status: 'not-needed' })],
      ready: [],
    })
  })

  it('are journalled step by step; if that fails, none is sent any more', async () => {
    await using host = await shTransport()
    const journal = memoryJournal((event) => event.event === 'step-intended' && event.service === 'old')
    const first = { ...start, id: 'mac/first/start', service: 'first' }
    const { results } = await runActions({ actions: [first, stop, start], prepare: touching }, contextOf(host, journal))
    expect(results).toMatchObject([
      { status: 'applied' },
      {
        status: 'failed',
        undone: 'not-needed',
        problem: { code: 'APPLY.NOT_JOURNALLED', why: expect.stringContaining('ENOSPC') },
      },
      { status: 'not-run', left: 'the journal could not be written' },
    ])
    expect(readdirSync(host.folder)).toEqual(['audit.log', 'first'])
    expect(journal.events).toEqual([
      { event: 'step-intended', host: 'mac', n: 1, service: 'first', action: 'mac/first/start', step: 'act' },
      { event: 'step-ended', host: 'mac', n: 1, outcome: 'done' },
    ])
  })

  it('are put back also where that cannot be written down', async () => {
    await using host = await shTransport()
    const journal = memoryJournal((event) => event.event === 'step-intended' && event.n > 1)
    const group = { action: stop.id, service: 'old', precheck: [], steps: [run('touch done'), run('touch never')], postcheck: [] }
    const prepared = { action: stop, group: { ...group, undo: [run('touch undone')] }, record: null }
    const { results } = await runActions({ actions: [stop], prepare: async () => [prepared] }, contextOf(host, journal))
    expect(results).toMatchObject([{ status: 'failed', undone: 'restored', problem: { code: 'APPLY.NOT_JOURNALLED' } }])
    expect(readdirSync(host.folder).toSorted()).toEqual(['audit.log', 'done', 'undone'])
  })
})
