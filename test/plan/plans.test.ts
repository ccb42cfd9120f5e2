import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { withoutSteps } from '../../src/plan/without-steps.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario, soundKey } from '../support/scenario.ts'

/** `test/fixtures/plan/<case>.yaml` is a host, `<case>.plan.json` the whole plan for it. */
const cases = caseFiles('plan', '*.yaml').map(({ file, text }) => {
  const scenario: Scenario = parse(text)
  return { file, scenario }
})

test.each(cases)('$file: $scenario.about', async ({ file, scenario }) => {
  const plan = planFleet(planInputOf(scenario))
  expect(JSON.stringify(plan)).not.toContain(soundKey)
  // Steps have tests of their own (test/lab/e2e/steps.test.ts); the digest covers them, and would change with every word of a script.
  const text = `${JSON.stringify({ ...withoutSteps(plan), digest: 'e'.repeat(64) }, null, 2)}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../fixtures/plan', file.replace('.yaml', '.plan.json')))
})
