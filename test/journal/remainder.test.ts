import { describe, expect, it } from 'vitest'
import type { JournalledRun } from '../../src/journal/journalled-run.ts'
import { foundInDoubt, remainderOf } from '../../src/journal/remainder.ts'
import type { Action, ActionKind, Risk } from '../../src/model/action.ts'
import type { StepIntended } from '../../src/model/journal.ts'
import { known, unknown } from '../../src/model/observed.ts'
import type { HostPlan, Plan, Problem } from '../../src/model/plan.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { actionOf } from '../apply/actions.ts'
import { aHost, type ServiceOptions, someFacts } from '../support/build.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

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

function only(one: Action): Plan {
  const plan = planOf([])
  return { ...plan, hosts: plan.hosts.map((host) => ({ ...host, actions: [one] })) }
}

interface Became {
  readonly inDoubt?: readonly StepIntended[]
  readonly settled?: readonly string[]
}

function runOf(words: readonly string[], { inDoubt = [], settled = [] }: Became = {}): JournalledRun {
  const about = { run_id: 'r', verb: 'apply', converge: '', owner: '', controller: '', pid: 1, consents: [] } as const
  const inventory = { path: '', digest: '' }
  const begun = { event: 'run-begun', at: '', format: 1, ...about, inventory, selection: { services: [] } } as const
  return { begun, plan: planOf(words), approvals: [], hosts: [{ host: 'nas', state: 'failed', services: [], settled, inDoubt }] }
}

const planned = (service: ServiceOptions, was: ServiceOptions, more: Partial<Scenario> = {}) =>
  planFleet(planInputOf({ about: '', services: { coder: service }, was: { coder: was }, ...more }))

describe('what is left of a run', () => {
  it('is the record of an override, where only the stop was done', () => {
    const override = { field: 'override', from: null, to: 'stopped', effect: 'none' } as const
    const withOverride = (words: string) => ({ ...action(words), changes: [override] })
    const run = { ...runOf([], { settled: ['nas/coder/stop'] }), plan: only(withOverride('stop coder')) }
    expect(remainderOf(run, only(withOverride('update coder'))).agreed).toEqual(['nas/coder/update'])
    expect(remainderOf(run, only(withOverride('update writer'))).agreed).toEqual([])
  })

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
    ['nothing if everything is in the desired state', ['update coder'], ['noop coder'], [], []],
  ])('is %s', (_what, before, now, agreed, left) => {
    expect(remainderOf(runOf(before), planOf(now))).toEqual({ agreed, left })
  })

  it('includes what is refused by now, so that it is reported', () => {
    expect(remainderOf(runOf(['start coder']), planOf([], ['start coder']))).toEqual({ agreed: ['nas/coder/start'], left: [] })
  })

  it('contains nothing that it had done, under any name', () => {
    const done = { settled: ['nas/flagship/update', 'nas/flagship/restart'] }
    const run = runOf(['update flagship', 'restart flagship costly', 'update coder'], done)
    const now = planOf(['update flagship', 'restart flagship costly', 'update coder'])
    expect(remainderOf(run, now)).toEqual({ agreed: ['nas/coder/update'], left: ['nas/flagship/update', 'nas/flagship/restart'] })
    expect(remainderOf(run, planOf(['start flagship safe'])).agreed).toEqual([])
  })

  const coder = { manager: 'systemd', kind: 'A' } as const
  const wanted = { ...coder, ctxSize: 4096 }
  const older = { ...coder, ctxSize: 2048 }
  it('is the record of what was done and proved, and nothing else of it', () => {
    const before = planned(wanted, older)
    const done = runOf([], { settled: ['nas/coder/update'] })
    const run = { ...done, plan: before }
    const unrecorded = planned(wanted, wanted, { facts: { unrecorded: ['coder'] } })
    expect(remainderOf(run, unrecorded)).toEqual({ agreed: ['nas/coder/update'], left: [] })
    expect(remainderOf(run, before)).toEqual({ agreed: [], left: ['nas/coder/update'] })
  })

  it.each<[string, Plan, Plan, readonly string[], readonly string[]]>([
    ['all of it', planned(wanted, older), planned(wanted, older), ['nas/coder/update'], []],
    [
      'what changes it from another value',
      planned(wanted, older),
      planned(wanted, { ...coder, ctxSize: 1024 }),
      ['nas/coder/update'],
      [],
    ],
    [
      'the record of what was done and not written down',
      planned(wanted, older),
      planned(wanted, wanted, { facts: { unrecorded: ['coder'] } }),
      ['nas/coder/update'],
      [],
    ],
    [
      'only a start if it is down by now',
      planned(wanted, older),
      planned(wanted, { ...wanted, state: 'stopped' }),
      ['nas/coder/start'],
      [],
    ],
    [
      'no restart of a server that a person started meanwhile',
      planned(wanted, { ...older, state: 'stopped' }),
      planned(wanted, older),
      [],
      ['nas/coder/update'],
    ],
    [
      'no removal of a server that a person started meanwhile',
      planned({ ...coder, state: 'absent' }, { ...coder, state: 'stopped' }),
      planned({ ...coder, state: 'absent' }, coder),
      [],
      ['nas/coder/remove'],
    ],
    ['no other change', planned(wanted, older), planned(wanted, { ...older, threads: 3 }), [], ['nas/coder/update']],
  ])('is, of the host as it is by now, %s', (_what, before, now, agreed, left) => {
    expect(remainderOf({ ...runOf([]), plan: before }, now)).toEqual({ agreed, left })
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
  const { action: _action, ...aboutNoAction } = step
  const seen = someFacts(aHost())
  const found = (now: Plan, facts: typeof seen | Problem = seen, one: StepIntended = step) =>
    foundInDoubt(runOf(['start coder'], { inDoubt: [one] }), now, new Map([['nas', facts]])).map((each) => each.found)

  it('was done if the service is in the desired state', () => expect(found(planOf(['noop coder']))).toEqual(['done']))
  it('was not done where something is left to do', () => expect(found(planOf(['start coder']))).toEqual(['not-done']))
  it('was not done where what is left is refused', () => expect(found(planOf([], ['start coder']))).toEqual(['not-done']))
  it('stays in doubt where the service was not judged', () => expect(found(planOf([]))).toEqual(['unknown']))
  it('stays in doubt if the host is unreachable', () => {
    expect(found(planOf([]), { code: 'CONNECT.TIMEOUT', summary: '', why: '', next: [] })).toEqual(['unknown'])
  })

  it('that leaves a record was done where the record is of the run', () => {
    const recording = { ...aboutNoAction, step: 'record it', record: 'write' } as const
    const forgetting = { ...aboutNoAction, step: 'forget it', record: 'forget' } as const
    const record = { service: 'coder', mark: '', runId: 'r', appliedAt: '', definitionDigest: '', wanted: {} }
    const facts = (runId: string) => ({ ...seen, applied: known({ coder: { ...record, runId } }) })
    expect(found(planOf(['noop coder']), facts('r'), recording)).toEqual(['done'])
    expect(found(planOf(['noop coder']), facts('another'), recording)).toEqual(['not-done'])
    expect(found(planOf(['noop coder']), { ...seen, applied: unknown('unreadable') }, recording)).toEqual(['unknown'])
    expect(found(planOf(['noop coder']), facts('r'), forgetting)).toEqual(['not-done'])
    expect(found(planOf(['noop coder']), { ...seen, applied: known({}) }, forgetting)).toEqual(['done'])
  })

  it('that belongs to no action stays in doubt: nothing shows its outcome', () => {
    const waiting = { ...aboutNoAction, step: 'order the host to roll back coder' }
    const record = { service: 'coder', mark: '', runId: 'r', appliedAt: '', definitionDigest: '', wanted: {} }
    expect(found(planOf(['noop coder']), { ...seen, applied: known({ coder: record }) }, waiting)).toEqual(['unknown'])
  })
})
