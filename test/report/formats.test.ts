import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FactsDocument } from '../../src/model/facts-document.ts'
import type { Finding, Overview } from '../../src/model/overview.ts'
import type { PastRun } from '../../src/model/past-run.ts'
import { renderAnnotations } from '../../src/report/annotations.ts'
import { type ReportName, reports } from '../../src/report/index.ts'
import { overviewOfDrift } from '../../src/report/overview-of-drift.ts'
import { overviewOfFacts } from '../../src/report/overview-of-facts.ts'
import { overviewOfFetch } from '../../src/report/overview-of-fetch.ts'
import { overviewOfHosts } from '../../src/report/overview-of-hosts.ts'
import { overviewOfPlan } from '../../src/report/overview-of-plan.ts'
import { overviewOfRun } from '../../src/report/overview-of-run.ts'
import { overviewOfStatus } from '../../src/report/overview-of-status.ts'
import { overviewOfIssues } from '../../src/report/overview-of-validation.ts'
import { safeOverview } from '../../src/report/safe-overview.ts'
import { caseFiles } from '../support/case-files.ts'

const around = {
  version: '1.2.3',
  issues: [],
  whereabouts: (host: string, service: string) =>
    service.startsWith('(') ? undefined : { file: `inventories/home/host_vars/${host}.yaml`, line: 7, column: 3 },
}

/** What each kind of document is made of, as the verbs do it. */
const overviews: Readonly<Record<string, (document: never) => Overview>> = {
  'converge/plan/v1': (document) => overviewOfPlan(document, around),
  'converge/report/v1': (document) => overviewOfRun(document, around),
  'converge/drift/v1': (document) => overviewOfDrift(document, around),
  'converge/facts/v1': ({ hosts }: FactsDocument) =>
    overviewOfFacts({ inventory: 'inventories/home', at: '2026-11-26T12:00:00.000Z', hosts }, around),
  'converge/hosts/v1': (document) => overviewOfHosts(document, 'inventories/home', around),
  'converge/fetch/v1': (document) => overviewOfFetch(document, around),
  'converge/status/v1': (document) => overviewOfStatus(document, around),
  'converge/error/v1': ({ issues }) => overviewOfIssues(issues, { verb: 'validate', version: '1.2.3' }),
}

const endings: Readonly<Record<ReportName, string>> = {
  ndjson: 'ndjson',
  markdown: 'md',
  junit: 'junit.xml',
  sarif: 'sarif',
  prometheus: 'prom',
  html: 'html',
}

/** `test/fixtures/report/<case>.json` is a document, `past/<case>.json` earlier runs, `<case>.<ending>` what each format makes of them. */
const cases = caseFiles('report', '*.json')
const formats = Object.keys(endings).filter((name): name is ReportName => Object.hasOwn(reports, name))

describe.each(cases)('$file', ({ file, text }) => {
  test.each(formats)('as %s', async (format) => {
    const overview = overviewOf(JSON.parse(text))
    const render = await reports[format]()
    const golden = join(import.meta.dirname, '../fixtures/report', file.replace(/json$/, endings[format]))
    await expect(
      render(
        safeOverview(overview, (one) => one),
        { past: pastOf(file) },
      ),
    ).toMatchFileSnapshot(golden)
  })

  test('as annotations', async () => {
    const golden = join(import.meta.dirname, '../fixtures/report', file.replace(/json$/, 'annotations'))
    await expect(renderAnnotations(safeOverview(overviewOf(JSON.parse(text)), (one) => one))).toMatchFileSnapshot(golden)
  })
})

// oxlint-disable-next-line no-control-regex -- they are what it is about
const acting = /[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/

test('no sign in any of them does anything to a terminal', async () => {
  for (const { text } of cases)
    for (const format of formats) {
      const render = await reports[format]()
      expect(render(safeOverview(overviewOf(JSON.parse(text)), (one) => one))).not.toMatch(acting)
    }
})

test('what would be too long for its reader is cut, and the rest counted', async () => {
  const finding = {
    level: 'refused',
    code: 'PORT.TAKEN',
    summary: 'It is taken.',
    why: 'x'.repeat(200),
    evidence: [],
    next: [],
  } as const
  const services = Array.from({ length: 6000 }, (_, index) => ({
    service: `coder-${index}`,
    tone: 'bad' as const,
    state: 'refused',
    actions: [],
    findings: [finding],
  }))
  const hosts = [{ host: 'nas', tone: 'bad' as const, reachable: true, services }]
  const large: Overview = { verb: 'plan', headline: 'much', tone: 'bad', version: '1', issues: [], hosts }
  const markdown = (await reports.markdown())(large)
  expect(markdown.length).toBeLessThan(65_536)
  expect(markdown).toMatch(/… and 5800 more/)
  expect(markdown).toMatch(/\d+ more parts do not fit/)
  const sarif = JSON.parse((await reports.sarif())(large))
  expect(sarif.runs[0].results).toHaveLength(5000)
  expect(JSON.stringify(sarif.runs[0].invocations)).toContain('1000 more results')
})

test('one long value does not hide another finding', async () => {
  const findings = [aDrift('long', 'x'.repeat(100_000)), ...Array.from({ length: 150 }, (_, n) => aDrift(`field-${n}`, 'b'))]
  const service = { service: 'coder', tone: 'bad' as const, state: 'drift', actions: [], findings }
  const hosts = [{ host: 'nas', tone: 'bad' as const, reachable: true, services: [service] }]
  const markdown = (await reports.markdown())({ verb: 'drift', headline: '', tone: 'bad', version: '1', issues: [], hosts })
  expect(markdown).toContain('(100000 characters)')
  expect(markdown.match(/field-\d+/g)).toHaveLength(150)
})

test('files of several verbs share no series', async () => {
  const render = await reports.prometheus()
  const series = ['drift', 'plan-full', 'report-apply', 'report-verify'].flatMap((name) => {
    const text = cases.find(({ file }) => file === `${name}.json`)?.text ?? ''
    return [...render(overviewOf(JSON.parse(text))).matchAll(/^(\w+\{.*\}) \S+$/gm)].map(([, one]) => one)
  })
  expect(series.length).toBeGreaterThan(50)
  expect(new Set(series).size).toBe(series.length)
})

test('a second that was put in between is a moment', async () => {
  const overview: Overview = { verb: 'drift', headline: '', tone: 'good', version: '1', issues: [], hosts: [] }
  const render = await reports.prometheus()
  expect(render({ ...overview, at: '2026-12-31T23:59:60Z' })).toContain(
    `{verb="drift"} ${Date.parse('2026-12-31T23:59:59Z') / 1000}\n`,
  )
})

function aDrift(field: string, here: string): Finding {
  const about = { level: 'drift', code: field, summary: '', why: '', evidence: [], next: [] } as const
  return { ...about, values: { wanted: 'a', applied: 'a', here } }
}

function pastOf(file: string): readonly PastRun[] {
  const path = join(import.meta.dirname, '../fixtures/report/past', file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
}

function overviewOf(document: { readonly schema: string }): Overview {
  const make = overviews[document.schema]
  if (make === undefined) throw new Error(`no overview of ${document.schema}`)
  return make(document as never)
}
