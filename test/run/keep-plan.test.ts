import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createRedactor } from '../../src/lib/redactor.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { keep } from '../../src/run/conclude.ts'
import { checkKept } from '../../src/state/kept-report.ts'
import { keptPath, readKept } from '../../src/state/run-history.ts'
import { readProjectFile } from '../architecture/source-file.ts'
import { planInputOf } from '../support/scenario.ts'

test('a plan is stored without its steps, and still is a report of converge', async () => {
  const state = await mkdtemp(join(tmpdir(), 'converge-kept-'))
  const plan = planFleet(planInputOf(parse(readProjectFile('test/fixtures/plan/kind-a-changed.yaml'))))
  expect(JSON.stringify(plan)).toContain('"script"')
  const context = {
    env: { CONVERGE_STATE_DIR: state },
    cwd: '/',
    now: () => new Date(0),
    redactor: createRedactor((secret) => secret.reveal()),
  }
  const open = { fleet: { path: '/inventory', hosts: [] }, isClosed: true, warnings: [] }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is used
  const run = { context, open, flags: {} } as never
  const result = {
    document: plan,
    text: () => '',
    overview: (around: Parameters<typeof overviewOfPlan>[1]) => overviewOfPlan(plan, around),
  }
  const run_id = '20261122T230000Z-4f2a1c'
  await keep(run, result, { verb: 'plan', run_id, exit: 0 })
  const kept = await readKept(context, run_id)
  if (!('document' in kept)) throw new Error(JSON.stringify(kept))
  expect(kept.document).toMatchObject({ schema: 'converge/plan/v1', digest: plan.digest, summary: plan.summary })
  expect(/"(script|steps|bookkeeping)"/.test(JSON.stringify(kept))).toBe(false)
  await expect(checkKept(kept, keptPath(context, run_id))).resolves.toBeUndefined()
  await rm(state, { recursive: true })
})
