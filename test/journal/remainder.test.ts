import { describe, expect, it } from 'vitest'
import type { JournalledRun } from '../../src/journal/journalled-run.ts'
import { foundInDoubt, remainderOf } from '../../src/journal/remainder.ts'
import type { Action, ActionKind, Risk } from '../../src/model/action.ts'
import type { StepIntended } from '../../src/model/journal.ts'
import { known, unknown } from '../../src/model/observed.ts'
import type { HostPlan, Plan, Problem } from '../../src/model/plan.ts'
import { actionOf } from '../apply/actions.ts'
import { aHost, someFacts } from '../support/build.ts'

/** `update coder`, `restart coder costly`: interrupts and starts as actions of the kind do where a server runs. */
function action(words: string): Action {
  const [kind = '', service = '', risk = 'disruptive'] = words.split(' ')
  const interrupts = ['update', 'restart', 'stop', 'remove'].includes(kind)
  const starts = ['update', 'start', 'restart'].includes(kind)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the cases below
  return { ...actionOf('nas', service, kind as ActionKind), interrupts, starts, risk: risk as Risk }
}

function planOf(words: readonly string[], heldBack: readonly string[] = []): Plan {
  const host: HostPlan = {
    host: 'nas',
    reachable: true,
    actions: words.map(action),
    held_back: heldBack.map(action),
    refusals: [],
    warnings: [],
    consented: [],
  }
  const summary = { hosts: 1, changes: 0, refusals: 0, warnings: 0, unreachable: 0 }
  return { schema: 'converge/plan/v1', digest: '', created_at: '', inventory: { path: '', digest: '' }, summary, hosts: [host] }
}

function runOf(words: readonly string[], inDoubt: readonly StepIntended[] = []): JournalledRun {
  const about = { run_id: 'r', verb: 'apply', converge: '', owner: '', controller: '', pid: 1, consents: [] } as const
  const inventory = { path: '', digest: '' }
  const begun = { event: 'run-begun', at: '', format: 1, ...about, inventory, selection: { services: [] } } as const
  return { begun, plan: planOf(words), consents: [], hosts: [{ host: 'nas', state: 'failed', services: [], inDoubt }] }
}

describe('what is left of a run', () => {
  it.each([
    ['the same', ['install coder', 'start coder'], ['start coder'], ['nas/coder/start'], []],
    ['a restart that is the rest of an update', ['update coder'], ['restart coder'], ['nas/coder/restart'], []],
    ['a start where a restart stopped half-way', ['restart coder costly'], ['start coder safe'], ['nas/coder/start'], []],
    ['no restart where none was planned', ['start coder'], ['restart coder'], [], ['nas/coder/restart']],
    ['nothing that risks more', ['update coder safe'], ['restart coder costly'], [], ['nas/coder/restart']],
    ['no stop where a start was planned', ['start coder'], ['stop coder'], [], ['nas/coder/stop']],
    ['no removal where a stop was planned', ['stop coder'], ['remove coder'], [], ['nas/coder/remove']],
    ['nothing of another service', ['update coder'], ['update writer'], [], ['nas/writer/update']],
    ['nothing of the machine itself', ['update coder'], ['host-setting (host)'], [], ['nas/(host)/host-setting']],
    ['nothing where all is as wanted', ['update coder'], ['noop coder'], [], []],
  ])('is %s', (_what, before, now, agreed, left) => {
    expect(remainderOf(runOf(before), planOf(now))).toEqual({ agreed, left })
  })

  it('is also what is refused by now, so that it is told', () => {
    expect(remainderOf(runOf(['start coder']), planOf([], ['start coder']))).toEqual({ agreed: ['nas/coder/start'], left: [] })
  })
})

describe('a step in doubt', () => {
  const step = {
    event: 'step-intended',
    host: 'nas',
    n: 1,
    service: 'coder',
    action: 'nas/coder/start',
    step: 'start it',
  } as const
  const seen = someFacts(aHost())
  const found = (now: Plan, facts: typeof seen | Problem = seen, one: StepIntended = step) =>
    foundInDoubt(runOf(['start coder'], [one]), now, new Map([['nas', facts]])).map((each) => each.found)

  it('was done where the service is as wanted', () => expect(found(planOf(['noop coder']))).toEqual(['done']))
  it('was not done where something is left to do', () => expect(found(planOf(['start coder']))).toEqual(['not-done']))
  it('was not done where what is left is refused', () => expect(found(planOf([], ['start coder']))).toEqual(['not-done']))
  it('stays in doubt where the service was not judged', () => expect(found(planOf([]))).toEqual(['unknown']))
  it('stays in doubt where the host cannot be looked at', () => {
    expect(found(planOf([]), { code: 'CONNECT.TIMEOUT', summary: '', why: '', next: [] })).toEqual(['unknown'])
  })

  it('that leaves a record was done where the record is of the run', () => {
    const { action: _action, ...recording } = step
    const record = { service: 'coder', mark: '', runId: 'r', appliedAt: '', definitionDigest: '', wanted: {} }
    const facts = (runId: string) => ({ ...seen, applied: known({ coder: { ...record, runId } }) })
    expect(found(planOf(['noop coder']), facts('r'), recording)).toEqual(['done'])
    expect(found(planOf(['noop coder']), facts('another'), recording)).toEqual(['not-done'])
    expect(found(planOf(['noop coder']), { ...seen, applied: unknown('unreadable') }, recording)).toEqual(['unknown'])
  })
})
