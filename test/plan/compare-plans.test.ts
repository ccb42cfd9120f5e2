import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/model/action.ts'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import type { PlannedSteps } from '../../src/model/planned-steps.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import { comparePlans } from '../../src/plan/compare-plans.ts'

const process = { pid: 42, start: '1000' }

function anAction(given: Partial<Action> = {}): Action {
  const { service = 'coder', kind = 'update' } = given
  return {
    id: `nas/${service}/${kind}`,
    host: 'nas',
    service,
    kind,
    manager: 'compose',
    risk: 'disruptive',
    reason: 'The definition differs.',
    changes: [{ field: 'running.ctx_size', from: '2048', to: '4096', effect: 'cheap-restart' }],
    downtime: 'seconds',
    interrupts: true,
    starts: true,
    relies_on: { process, definition_digest: 'd1', boot_id: 'b1', container: 'c1', model: 'm1' },
    ...given,
  }
}

function aPlan(host: Partial<HostPlan>): Plan {
  const hosts = [{ host: 'nas', reachable: true, actions: [], refusals: [], warnings: [], consented: [], ...host }]
  const summary = { hosts: 1, changes: 0, refusals: 0, warnings: 0, unreachable: 0 }
  const inventory = { path: 'inventories/home', digest: 'd'.repeat(64) }
  return { schema: 'converge/plan/v1', digest: 'e'.repeat(64), created_at: '2026-11-01T08:00:00Z', inventory, summary, hosts }
}

const refusal: Refusal = {
  code: 'CORUN.SECOND_KIND_A',
  service: 'coder',
  actions: [],
  summary: '',
  why: '',
  evidence: [],
  next: [],
  consentable: true,
  consent: { reason: 'a test' },
}
const start = anAction({ service: 'writer', kind: 'start', interrupts: false, relies_on: { process: null } })
const change = (to: string) => [{ field: 'running.ctx_size', from: '2048', to, effect: 'cheap-restart' as const }]

const writing = (content: string): PlannedSteps => ({
  checks: [],
  steps: [{ do: 'put', label: 'write /f', guards: [], path: '/f', mode: '0644', folder_mode: '0755', content }],
  proof: [],
  undo: [],
})
const settles = { label: 'prove coder, or have the host roll it back', path: '/d', interrupts: true } as const
const aSetting = (from: string) =>
  anAction({ service: '(host)', kind: 'host-setting', changes: [{ field: 'sleep', from, to: '0', effect: 'none' }] })

const cases: readonly (readonly [string, Partial<HostPlan>, Partial<HostPlan>, readonly RegExp[]])[] = [
  ['the same', { actions: [anAction(), start] }, { actions: [anAction(), start] }, []],
  ['less: done by a person', { actions: [anAction(), start] }, { actions: [anAction({ kind: 'noop' }), start] }, []],
  ['less: refused by now', { actions: [anAction()] }, { actions: [], held_back: [anAction()], refusals: [refusal] }, []],
  ['less: away', { actions: [anAction()] }, { reachable: false }, []],
  ['other words', { actions: [anAction()] }, { actions: [anAction({ reason: 'Another.', downtime: 'about 9 s' })] }, []],
  [
    'less, the rest in its order',
    { actions: [anAction({ service: 'a' }), anAction(), start] },
    { actions: [anAction({ service: 'a' }), start] },
    [],
  ],
  ['more', { actions: [anAction()] }, { actions: [anAction(), start] }, [/^nas\/writer\/start was not planned: The definition/]],
  [
    'more: no longer refused',
    { actions: [], held_back: [start], refusals: [refusal] },
    { actions: [start] },
    [/^nas\/writer\/start was not planned/],
  ],
  ['more: back again', { reachable: false }, { actions: [start] }, [/^nas was unreachable .* nas\/writer\/start$/]],
  ['back again, and in the desired state', { reachable: false }, { actions: [anAction({ kind: 'noop' })] }, []],
  [
    'another kind of action',
    { actions: [anAction()] },
    { actions: [anAction({ kind: 'remove' })] },
    [/coder\/remove was not planned/],
  ],
  [
    'another process, in a recreated container',
    { actions: [anAction()] },
    { actions: [anAction({ relies_on: { ...anAction().relies_on, process: { pid: 43, start: '1001' }, container: 'c2' } })] },
    [/^nas\/coder\/update: the process changed from 42 \(started 1000\) to 43/, /: the container was recreated$/],
  ],
  [
    'another value',
    { actions: [anAction()] },
    { actions: [anAction({ changes: change('8192') })] },
    [/running\.ctx_size 2048 → 8192 instead of 2048 → 4096$/],
  ],
  [
    'one more value',
    { actions: [anAction()] },
    {
      actions: [anAction({ changes: [...anAction().changes, { field: 'running.alias', from: 'a', to: null, effect: 'none' }] })],
    },
    [/running\.alias a → \(none\) was not planned$/],
  ],
  [
    'another text',
    { actions: [anAction({ steps: writing('a') })] },
    { actions: [anAction({ steps: writing('b') })] },
    [/coder\/update: the step "write \/f" was not shown$/],
  ],
  [
    'a server that is now interrupted',
    { actions: [anAction({ interrupts: false })] },
    { actions: [anAction()] },
    [/coder\/update: it would now interrupt a running server$/],
  ],
  [
    'another value that a setting of the machine had',
    { actions: [aSetting('10')] },
    { actions: [aSetting('20')] },
    [/sleep 20 → 0 instead of 10 → 0$/],
  ],
  [
    'another order',
    { actions: [anAction(), start] },
    { actions: [start, anAction()] },
    [/the order is now nas\/writer\/start, nas/],
  ],
  [
    'an approval that overrules what was not refused',
    { actions: [anAction()] },
    { actions: [anAction()], consented: [refusal] },
    [/an approval would overrule CORUN\.SECOND_KIND_A of coder, which the plan did not refuse/],
  ],
  [
    'a server that an earlier run left unconfirmed',
    { actions: [start] },
    { actions: [start], bookkeeping: [{ label: 'take the lock', path: '/l' }, settles] },
    [/^nas: "prove coder, or have the host roll it back" was not planned$/],
  ],
  ['the same, as shown', { bookkeeping: [settles] }, { bookkeeping: [settles] }, []],
  ['an approval as shown', { actions: [start], consented: [refusal] }, { actions: [start], consented: [refusal] }, []],
]

describe('a plan made now beside a saved one', () => {
  it.each(cases)('%s', (_, saved, now, lines) => {
    const found = comparePlans(aPlan(saved), aPlan(now))
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)))
  })
})
