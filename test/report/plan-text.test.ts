import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Plan } from '../../src/model/plan.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { reports } from '../../src/report/index.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderPlan } from '../../src/report/plan-text.ts'
import { stepsOfPlan } from '../../src/report/steps-of-plan.ts'
import { planInputOf } from '../support/scenario.ts'

const fixture = (path: string) => readFileSync(new URL(`../fixtures/${path}`, import.meta.url), 'utf8')
const planOf = (name: string): Plan => planFleet(planInputOf(parse(fixture(`plan/${name}.yaml`))))
const textOf = (plan: Plan) => renderPlan(plan, { paint: noPaint, verbose: false, steps: false })

describe('the text of a plan', () => {
  test('is what people read', async () => {
    await expect(textOf(JSON.parse(fixture('report/plan-full.json')))).toMatchFileSnapshot('../fixtures/report/plan-full.txt')
  })

  test('has the refusals of all hosts before the first diff', () => {
    const plan = planOf('kind-b-warm-changed')
    const text = textOf({ ...plan, hosts: plan.hosts.flatMap((host) => [host, { ...host, host: 'last' }]) })
    const order = [...text.matchAll(/^ {2}✗|^PLANNED$|@@ /gm)].map(([sign]) => sign)
    expect(order).toEqual(['  ✗', '  ✗', 'PLANNED', '@@ ', '@@ '])
  })

  test.each([
    ['as-wanted', 'Legend: ! warning  · ok'],
    ['sleep-timers', 'Legend: ~ host-setting'],
    ['first-apply', 'Legend: + install  > start  ! warning'],
    ['unconfirmed-server', 'Legend: ↺ test or roll back  ! warning  · ok'],
  ])('explains the signs of %s: %s', (name, legend) => {
    expect(textOf(planOf(name)).split('\n')[0]).toBe(legend)
  })
})

describe('the steps of a plan', () => {
  const plan = planOf('first-apply')
  const overview = overviewOfPlan(plan, { version: '1.2.3', issues: [], whereabouts: () => undefined })

  test.each(['markdown', 'html'] as const)('are in %s where they are asked for', async (format) => {
    const render = await reports[format]()
    const shown = render(overview, { steps: stepsOfPlan(plan) })
    for (const words of ['check before', 'if it fails, roll back', 'take the lock']) {
      expect(shown).toContain(words)
      expect(render(overview)).not.toContain(words)
    }
  })
})
