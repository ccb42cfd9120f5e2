import { describe, expect, it } from 'vitest'
import type { JournalledRun } from '../../src/journal/journalled-run.ts'
import type { JournalledOperation, StepIntended } from '../../src/model/journal.ts'
import type { Operation } from '../../src/model/operation.ts'
import { asDone, journalledOperations, mustStillLast, operationsAgain } from '../../src/run/operations.ts'

const override = { until: 'revert', by: 'anna@mac', since: '2026-11-01T08:00:00.000Z' }

function runOf(operations: readonly JournalledOperation[] | undefined, inDoubt: readonly string[] = []): JournalledRun {
  const about = { run_id: 'r', verb: 'restart', converge: '', owner: '', controller: '', pid: 1, consents: [] } as const
  const selection = { services: [], ...(operations === undefined ? {} : { operations }) }
  const begun = { event: 'run-begun', at: '', format: 1, ...about, inventory: { path: '', digest: '' }, selection } as const
  const steps = inDoubt.map(
    (action): StepIntended => ({ event: 'step-intended', host: 'nas', n: 1, service: 'coder', action, step: 's' }),
  )
  const plan = {
    schema: 'converge/plan/v1',
    digest: '',
    created_at: '',
    inventory: { path: '', digest: '' },
    summary: { hosts: 0, changes: 0, refusals: 0, warnings: 0, unreachable: 0 },
    hosts: [],
  } as const
  return { begun, plan, approvals: [], hosts: [{ host: 'nas', state: 'failed', services: [], settled: [], inDoubt: steps }] }
}

describe('operations of an interrupted run', () => {
  const operations = new Map<string, Operation>([
    ['nas/coder', { verb: 'restart' }],
    ['nas/writer', { verb: 'stop', override }],
  ])

  it('are repeated from its journal', () => {
    expect(operationsAgain(runOf(journalledOperations(operations)))?.operations).toEqual(operations)
  })

  it('restart nothing twice: a server whose restart was begun only has to run', () => {
    const again = operationsAgain(runOf(journalledOperations(operations), ['nas/coder/restart']))
    expect(again?.operations.get('nas/coder')).toEqual({ verb: 'start' })
    expect(again?.operations.get('nas/writer')).toEqual({ verb: 'stop', override })
  })

  it('are none where the inventory was applied', () => {
    expect(operationsAgain(runOf(undefined))).toBeUndefined()
  })
})

it('a run whose time has come is not resumed', () => {
  const operations = new Map<string, Operation>([
    ['nas/coder', { verb: 'stop', override: { ...override, until: '2026-11-02T06:00:00.000Z' } }],
  ])
  expect(() => mustStillLast(operations, 'r', new Date('2026-11-02T05:59:59Z'))).not.toThrow()
  expect(() => mustStillLast(operations, 'r', new Date('2026-11-02T06:00:00Z'))).toThrow('has come')
})

it('a server that was restarted has to run when it is looked at again', () => {
  expect(asDone(new Map([['nas/coder', { verb: 'restart' }]]))).toEqual(new Map([['nas/coder', { verb: 'start' }]]))
})
