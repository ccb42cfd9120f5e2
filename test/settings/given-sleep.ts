import { parse } from 'yaml'
import type { StepGroup } from '../../src/model/step.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { compileSleep } from '../../src/settings/compile-sleep.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

/** What the plan of `test/fixtures/plan/sleep-timers.yaml` sends. */
export function sleepGroup(): StepGroup {
  const [given] = caseFiles('plan', 'sleep-timers.yaml')
  const scenario: Scenario = parse(given?.text ?? '')
  const input = planInputOf(scenario)
  const [host] = input.fleet.hosts
  const seen = input.facts.get('nas')
  const action = planFleet(input).hosts[0]?.actions.find(({ kind }) => kind === 'host-setting')
  if (host === undefined || action === undefined || seen === undefined || !('salt' in seen)) throw new Error('nothing is planned')
  return compileSleep(action, host.sleep ?? {}, seen)
}
