import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { RunReport } from '../../src/model/report.ts'
import { type Document, mergeRuns } from '../../src/report/merge/merge-runs.ts'

/** A document of `test/fixtures/report/`. */
function documentOf(name: string): Document {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/report', `${name}.json`), 'utf8'))
}

/** As if each host had been looked at by a run of its own. */
function split(document: Document): readonly Document[] {
  return document.hosts.map(({ host }) => only(document, host))
}

function only(document: Document, name: string): Document {
  const hosts = <T extends { readonly host: string }>(all: readonly T[]) => all.filter(({ host }) => host === name)
  if (document.schema === 'converge/plan/v1') return { ...document, hosts: hosts(document.hosts) }
  if (document.schema === 'converge/drift/v1') return { ...document, hosts: hosts(document.hosts) }
  const { plan, second_plan: second } = document
  return {
    ...document,
    hosts: hosts(document.hosts),
    ...(plan === undefined ? {} : { plan: { ...plan, hosts: hosts(plan.hosts) } }),
    ...(second === undefined ? {} : { second_plan: { changes: 0, actions: [] } }),
  }
}

function merged(documents: readonly Document[]): Document {
  const shards = documents.map((document, index) => ({ file: `${index}.json`, document }))
  return mergeRuns(shards, (codes) => Math.max(...codes))
}

describe('runs put together', () => {
  it.each(['drift', 'drift-ignored', 'plan-full'])('are what one run would have printed: %s', (name) => {
    const document = documentOf(name) as Plan | DriftDocument
    const whole = merged(split(document)) as Plan | DriftDocument
    expect(whole.hosts).toEqual(document.hosts)
    expect(whole.created_at).toBe(document.created_at)
    // Of one document it makes the same again, counted and digested anew.
    expect(whole).toEqual(merged([document]))
  })

  it.each(['report-apply', 'report-verify'])('are one run of all hosts: %s', (name) => {
    const document = documentOf(name) as RunReport
    const whole = merged(split(document)) as RunReport
    const { hosts, verb, exit_code } = document
    expect(whole).toMatchObject({ hosts, verb, exit_code, run_id: hosts.map(() => document.run_id).join('+') })
    const names = new Set(hosts.map(({ host }) => host))
    expect(whole.plan?.hosts).toEqual(document.plan?.hosts.filter(({ host }) => names.has(host)))
  })

  it('began with the first and ended with the last, and are as bad as the worst', () => {
    const [one, other] = split(documentOf('report-verify')) as RunReport[]
    if (one === undefined || other === undefined) throw new Error('two hosts are needed')
    const late = { ...other, started_at: '2026-11-02T08:00:00.000+01:00', finished_at: '2026-11-02T09:00:00.000Z', exit_code: 6 }
    expect(merged([late, { ...one, exit_code: 4 }])).toMatchObject({
      started_at: one.started_at,
      finished_at: late.finished_at,
      exit_code: 6,
    })
  })

  it('have a second plan where each made one', () => {
    const [one, other] = split(documentOf('report-verify')) as RunReport[]
    if (one === undefined || other === undefined) throw new Error('two hosts are needed')
    const second = { changes: 1, actions: ['nas/coder/restart'] }
    expect(
      merged([
        { ...one, second_plan: second },
        { ...other, second_plan: second },
      ]),
    ).toMatchObject({
      second_plan: { changes: 2, actions: [...second.actions, ...second.actions] },
    })
    expect(merged([{ ...one, second_plan: second }, other])).not.toHaveProperty('second_plan')
  })

  it('call an entry of drift_ignore unused where none of them had a use for it', () => {
    const [one, other] = split(documentOf('drift')) as DriftDocument[]
    if (one === undefined || other === undefined) throw new Error('two hosts are needed')
    const unused = { state: 'unused', service: 'coder', field: 'state', reason: 'r', owner: 'o', file: 'f', line: 1 } as const
    const expired = { ...unused, state: 'expired', line: 2 } as const
    const stale = (...all: (readonly (typeof unused | typeof expired)[])[]) => {
      const [first = [], second = []] = all
      const whole = merged([
        { ...one, stale_ignores: first },
        { ...other, stale_ignores: second },
      ]) as DriftDocument
      expect(whole.summary.stale_ignores).toBe(whole.stale_ignores.length)
      return whole.stale_ignores
    }
    expect(stale([unused], [])).toEqual([])
    expect(stale([unused], [unused])).toEqual([unused])
    expect(stale([expired], [])).toEqual([expired])
    expect(stale([expired], [expired])).toEqual([expired])
  })
})

describe('what cannot be put together', () => {
  const drift = documentOf('drift')
  const [nas, box] = split(drift)
  if (nas === undefined || box === undefined) throw new Error('two hosts are needed')
  const elsewhere = { ...box, inventory: { path: 'inventories/home', digest: 'e'.repeat(64) } } as Document
  const kept = { ...box, facts_from: { folder: 'facts' } } as Document
  const resumed = { ...documentOf('report-apply'), verb: 'resume' } as Document

  it.each<readonly [string, readonly Document[], RegExp]>([
    ['of two verbs', [nas, documentOf('plan-full')], /0\.json is of drift, 1\.json is of plan/],
    ['looked at and remembered', [nas, kept], /1\.json is of drift with kept facts/],
    ['of two inventories', [nas, elsewhere], /another one when 0\.json was made than when 1\.json was/],
    ['about one host twice', [nas, box, nas], /nas is in 0\.json and in 2\.json/],
    ['what went on with a run', [resumed], /`resume`/],
  ])('%s', (_, documents, why) => {
    expect(() => merged(documents)).toThrow(
      expect.objectContaining({ code: 'REPORT.NO_SHARDS', why: expect.stringMatching(why) }),
    )
  })
})
