import { describe, expect, it } from 'vitest'
import type { Plan, Problem } from '../../src/model/plan.ts'
import type { Approval } from '../../src/model/playbook.ts'
import { comparePlans } from '../../src/plan/compare-plans.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { checkApprovals } from '../../src/policy/approve.ts'
import { judgeInventory } from '../../src/policy/judge-inventory.ts'
import { reports } from '../../src/report/index.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderPlan } from '../../src/report/plan-text.ts'
import { safeOverview } from '../../src/report/safe-overview.ts'
import { planExit } from '../../src/run/plan-only.ts'
import { aFleet, aHost, aService, someFacts } from '../support/build.ts'

const silent: Problem = {
  code: 'CONNECT.REFUSED',
  summary: 'The host does not answer.',
  why: 'studio refused the connection.',
  next: ['ping studio'],
}
const studio = aHost({
  name: 'studio',
  services: [
    aService({ name: 'coder', port: 9990 }),
    aService({ name: 'writer', port: 9990 }),
    aService({ name: 'away', port: 9990, state: 'absent' }),
    aService({ name: 'reader', port: 9991, manager: 'launchd', model: { path: '/Volumes/disk/model.gguf' } }),
  ],
})
const fleet = aFleet({ hosts: [studio] })

function planned(given: Partial<PlanInput> = {}): Plan {
  const selection = { hosts: ['studio'], services: ['*'] }
  const facts = new Map([['studio', silent]])
  return planFleet({ fleet, facts, keys: new Map(), selection, approvals: [], now: '2026-11-01T08:00:00.000Z', ...given })
}

const codes = ({ hosts }: Plan) =>
  hosts.flatMap(({ refusals }) => refusals.map(({ code, service }) => `${code} ${service ?? ''}`))

describe('the plan of an unreachable host', () => {
  it('refuses what is refused whatever the host is like, as validate does', () => {
    const refusals = judgeInventory(fleet).flatMap((one) => one.refusals)
    const plan = planned()
    expect(codes(plan)).toEqual(['PORT.DUPLICATE writer', 'MODEL.EXTERNAL_VOLUME reader'])
    expect(plan.hosts).toMatchObject([{ reachable: false, problem: silent, actions: [], refusals, warnings: [], consented: [] }])
    expect(plan.summary).toMatchObject({ changes: 0, refusals: 2, unreachable: 1 })
  })

  it('ends as one of which nothing was seen', () => {
    expect(planExit(planned(), true)).toBe(4)
  })

  it('speaks of selected services alone', () => {
    expect(codes(planned({ selection: { hosts: ['studio'], services: ['reader'] } }))).toEqual(['MODEL.EXTERNAL_VOLUME reader'])
  })

  it('overrules nothing, and takes leave that speaks of a refusal for no mistake', () => {
    const origin = { flag: '--allow MODEL.EXTERNAL_VOLUME@reader' }
    const approvals: readonly Approval[] = [
      { code: 'MODEL.EXTERNAL_VOLUME', service: 'reader', reason: 'it is always there', origin },
    ]
    const plan = planned({ approvals })
    expect(() => checkApprovals(plan, { given: approvals, now: plan.created_at })).not.toThrow()
    expect(plan.hosts).toMatchObject([{ consented: [], approvals_unused: [{ code: 'MODEL.EXTERNAL_VOLUME' }] }])
    expect(codes(plan)).toEqual(['PORT.DUPLICATE writer'])
  })

  it('still holds if a host that was reached is silent now', () => {
    const before = planned({ facts: new Map([['studio', someFacts(studio)]]) })
    expect(comparePlans(before, planned())).toEqual([])
  })

  it.each(['text', ...Object.keys(reports)])('reports them as %s', async (format) => {
    const plan = planned()
    const around = { version: '1.2.3', issues: [], whereabouts: () => undefined }
    const texts =
      format === 'text'
        ? renderPlan(plan, { paint: noPaint, verbose: false, steps: false })
        : (await Object.entries(reports).find(([name]) => name === format)?.[1]())?.(
            safeOverview(overviewOfPlan(plan, around), (one) => one),
            {},
          )
    expect(texts).toContain('PORT.DUPLICATE')
    expect(texts).not.toMatch(/as wanted|· ok|>ok</)
  })
})
