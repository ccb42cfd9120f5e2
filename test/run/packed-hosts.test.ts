import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestOf } from '../../src/lib/digest.ts'
import { jsonPieces } from '../../src/lib/json-pieces.ts'
import { mapStrings } from '../../src/lib/map-strings.ts'
import { visibleJson } from '../../src/lib/visible-text.ts'
import type { Plan } from '../../src/model/plan.ts'
import { summaryOf } from '../../src/plan/plan-fleet.ts'
import { reports } from '../../src/report/index.ts'
import { mergedResult } from '../../src/report/kept-result.ts'
import { type Document, mergeRuns } from '../../src/report/merge/merge-runs.ts'
import { noPaint } from '../../src/report/paint.ts'
import { packedHosts } from '../../src/run/packed-hosts.ts'

const around = { version: '1', issues: [], whereabouts: () => undefined }

test.each(['plan-full', 'drift', 'report-apply'])(
  'parts of a %s with packed hosts make the same report, in every format',
  async (name) => {
    const whole: Document = JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/report/${name}.json`), 'utf8'))
    const parts = Array.from({ length: 3 }, (_, index) => ({ file: `${index}.json`, document: renamed(whole, `-${index}`) }))
    const results = [parts, parts.map(({ file, document }) => ({ file, document: packedHosts(document) }))].map((shards) =>
      mergedResult(mergeRuns(shards, () => 4)),
    )
    const [plain, small] = results
    if (plain === undefined || small === undefined) throw new Error('two results')
    expect([...jsonPieces(small.document, (text) => text)].join('')).toBe(JSON.stringify(plain.document, null, 2))
    expect([...jsonPieces(small.document, hidden)].join('')).toBe(visibleJson(mapStrings(plain.document, hidden)))
    expect(digestOf(small.document)).toBe(digestOf(plain.document))
    expect(small.text(noPaint)).toBe(plain.text(noPaint))
    for (const load of Object.values(reports)) {
      const render = await load()
      const [one, other] = [plain, small].map((result) => result.overview?.(around))
      if (one === undefined || other === undefined) throw new Error('no overview')
      expect(render(other)).toBe(render(one))
    }
  },
)

/** As a redactor does. */
function hidden(text: string): string {
  return text.replaceAll('coder', '***')
}

test('the totals of a plan are those of its hosts, whatever its file says', () => {
  const plan: Plan = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/report/plan-full.json'), 'utf8'))
  const edited = packedHosts({ ...plan, summary: { ...plan.summary, refusals: 0, hosts: 700 } })
  expect(edited).toHaveProperty('summary', summaryOf(plan.hosts))
})

/** Other hosts with the same to tell of. */
function renamed(document: Document, ending: string): Document {
  return JSON.parse(JSON.stringify(document), (name, value) =>
    name === 'host' && typeof value === 'string' ? value + ending : value,
  )
}
