import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderDrift } from '../../src/report/drift-text.ts'
import { renderMarkdown } from '../../src/report/markdown.ts'
import { overviewOfDrift } from '../../src/report/overview-of-drift.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderPlan } from '../../src/report/plan-text.ts'

const around = { version: '1.2.3', issues: [], whereabouts: () => undefined }
const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/report/${name}.json`), 'utf8'))
const from = { folder: 'facts', oldest: '2026-11-01T06:00:00.000Z', newest: '2026-11-01T07:00:00.000Z' }
const words =
  /No host was contacted: this rests on facts in facts, gathered from 2026-11-01T06:00:00\.000Z to 2026-11-01T07:00:00\.000Z/

test('a plan from a facts snapshot says so, with their times, in every format', () => {
  const plan = { ...read('plan-full'), facts_from: { ...from } }
  const overview = overviewOfPlan(plan, around)
  const texts = [
    renderPlan(plan, { paint: noPaint, verbose: false, steps: false }),
    overview.headline,
    renderMarkdown(overview).replaceAll('\\', ''),
  ]
  for (const text of texts) expect(text.replaceAll(/\s+/g, ' ')).toMatch(words)
  expect(overviewOfPlan(read('plan-full'), around).headline).not.toContain('looked at')
})

test('a comparison from a facts snapshot says so as well', () => {
  const drift = { ...read('drift'), facts_from: { folder: 'facts' } }
  for (const text of [renderDrift(drift, noPaint), overviewOfDrift(drift, around).headline])
    expect(text).toContain('No host was contacted, and facts has no usable facts.')
})
