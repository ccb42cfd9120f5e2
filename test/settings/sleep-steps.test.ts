import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { HostPlan } from '../../src/model/plan.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { compileSleep } from '../../src/settings/compile-sleep.ts'
import { scriptsOf, stepsText } from '../managers/steps-text.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

/** What a plan of `test/fixtures/plan/sleep-timers.yaml` sends. */
describe('the steps that set sleep timers', () => {
  const [given] = caseFiles('plan', 'sleep-timers.yaml')
  const scenario: Scenario = parse(given?.text ?? '')
  const input = planInputOf(scenario)
  const [host] = input.fleet.hosts
  const seen = input.facts.get('nas')
  const plan: HostPlan | undefined = planFleet(input).hosts[0]
  const action = plan?.actions.find(({ kind }) => kind === 'host-setting')
  if (host === undefined || action === undefined || seen === undefined || !('salt' in seen)) throw new Error('nothing is planned')
  const group = compileSleep(action, host.sleep ?? {}, seen)

  it('name each source of power as it was, for the way back', async () => {
    await expect(stepsText(group)).toMatchFileSnapshot('../fixtures/settings/sleep-steps.expected')
  })

  it('are made of these scripts', async () => {
    const distinct = new Map(scriptsOf(group).map(([label, script]) => [script, label]))
    const text = [...distinct].map(([script, label]) => `# ${label}\n${script}\n`).join('\n')
    await expect(text).toMatchFileSnapshot('../fixtures/settings/scripts.expected')
  })
})
