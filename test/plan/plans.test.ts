import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario, soundKey } from '../support/scenario.ts'

/** `test/fixtures/plan/<case>.yaml` is a host, `<case>.plan.json` the whole plan for it. */
const cases = caseFiles('plan', '*.yaml').map(({ file, text }) => {
  const scenario: Scenario = parse(text)
  return { file, scenario }
})

test.each(cases)('$file: $scenario.about', async ({ file, scenario }) => {
  const plan = planFleet(planInputOf(scenario))
  const text = `${JSON.stringify(plan, null, 2)}\n`
  expect(text).not.toContain(soundKey)
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../fixtures/plan', file.replace('.yaml', '.plan.json')))
})
