import { parse } from 'yaml'
import type { StepGroup } from '../../src/model/step.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { compileSettings } from '../../src/settings/compile-settings.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

/** What the plan of `test/fixtures/plan/<name>.yaml` sends for the machine itself. */
export function settingsGroup(name: string): StepGroup {
  const [given] = caseFiles('plan', `${name}.yaml`)
  const scenario: Scenario = parse(given?.text ?? '')
  const input = planInputOf(scenario)
  const [host] = input.fleet.hosts
  const seen = input.facts.get('nas')
  const action = planFleet(input).hosts[0]?.actions.find(({ kind }) => kind === 'host-setting')
  if (host === undefined || action === undefined || seen === undefined || !('salt' in seen)) throw new Error('nothing is planned')
  return compileSettings(action, input.fleet, host, seen)
}
