import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { RunReport } from '../../src/model/report.ts'
import { summaryOf } from '../../src/plan/plan-fleet.ts'
import { type Document, mergeRuns, type WholeFleet } from '../../src/report/merge/merge-runs.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderRun } from '../../src/report/run-text.ts'

/** A document of `test/fixtures/report/`. */
function documentOf(name: string): Document {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/report', `${name}.json`), 'utf8'))
}

/** As if each host had been looked at by a run of its own. */
function split<D extends Document>(document: D): readonly [D, D, ...D[]] {
  const [one, other, ...more] = document.hosts.map(({ host }) => only(document, host) as D)
  if (one === undefined || other === undefined) throw new Error('two hosts are needed')
  return [one, other, ...more]
}

function only(document: Document, name: string): Document {
  const hosts = <T extends { readonly host: string }>(all: readonly T[]) => all.filter(({ host }) => host === name)
  const onlyOf = (plan: Plan): Plan => ({ ...plan, hosts: hosts(plan.hosts), summary: summaryOf(hosts(plan.hosts)) })
  if (document.schema === 'converge/plan/v1') return onlyOf(document)
  if (document.schema === 'converge/drift/v1') return { ...document, hosts: hosts(document.hosts) }
  const { plan } = document
  const planned = plan === undefined ? {} : { plan: onlyOf(plan) }
  return { ...document, hosts: hosts(document.hosts), ...planned }
}

function merged(documents: readonly Document[], whole?: WholeFleet): Document {
  const shards = documents.map((document, index) => ({ file: `${index}.json`, document }))
  return mergeRuns(shards, (codes) => Math.max(...codes), whole)
}

const verified = documentOf('report-verify') as RunReport

describe('runs put together', () => {
  it.each(['drift', 'drift-ignored', 'plan-full'])('are what one run would have printed: %s', (name) => {
    const document = documentOf(name) as Plan | DriftDocument
    const whole = merged(split(document)) as Plan | DriftDocument
    expect(whole.hosts).toEqual(document.hosts)
    expect(whole.created_at).toBe(document.created_at)
    // The plan's own count is of actions of which one was taken out of the case by hand.
    expect(whole.summary).toEqual(name === 'plan-full' ? { ...document.summary, changes: 3 } : document.summary)
    // Of one document it makes the same again, digested anew.
    expect(whole).toEqual(merged([{ ...document, summary: whole.summary } as Document]))
  })

  it.each(['report-apply', 'report-verify'])('are one run of all hosts: %s', (name) => {
    const document = documentOf(name) as RunReport
    const whole = merged(split(document)) as RunReport
    const { hosts, verb, exit_code, run_id } = document
    expect(whole).toMatchObject({ hosts, verb, exit_code, run_id: hosts.map(() => run_id).join('+') })
    expect(whole.parts).toEqual(hosts.map(({ host }) => ({ run_id, exit_code, hosts: [host] })))
    const names = new Set(hosts.map(({ host }) => host))
    expect(whole.plan?.hosts).toEqual(document.plan?.hosts.filter(({ host }) => names.has(host)))
  })

  it('began with the first and ended with the last, and are as bad as the worst', () => {
    const [one, other] = split(verified)
    const late = { ...other, started_at: '2026-11-02T08:00:00.000+01:00', finished_at: '2026-11-02T09:00:00.000Z', exit_code: 6 }
    expect(merged([late, { ...one, exit_code: 4 }])).toMatchObject({
      started_at: one.started_at,
      finished_at: late.finished_at,
      exit_code: 6,
    })
  })

  it('differ from the desired state if one of them does, and are known to match it if each observed again', () => {
    const [one, other] = split(verified)
    const left = { changes: 1, actions: ['nas/coder/restart'] }
    const empty = { changes: 0, actions: [] }
    const mergedPlan = (first: RunReport['second_plan'], second: RunReport['second_plan']) => {
      const parts = [
        [one, first],
        [other, second],
      ] as const
      const runs = parts.map(([run, plan]) => (plan === undefined ? run : { ...run, second_plan: plan }))
      return (merged(runs) as RunReport).second_plan
    }
    expect(mergedPlan(left, left)).toEqual({ changes: 2, actions: [...left.actions, ...left.actions] })
    expect(mergedPlan(left, undefined)).toEqual(left)
    expect(mergedPlan(left, empty)).toEqual(left)
    expect(mergedPlan(empty, empty)).toEqual(empty)
    expect(mergedPlan(empty, undefined)).toBeUndefined()
  })

  it('name each run to resume, also when they are merged again', () => {
    const interrupted = documentOf('report-interrupted') as RunReport
    const [, other] = split(verified)
    const done = { ...other, verb: 'apply', run_id: 'done', exit_code: 0, hosts: [{ ...interrupted.hosts[0], host: 'third' }] }
    const whole = merged([interrupted, done as RunReport]) as RunReport
    const again = merged([whole]) as RunReport
    expect(again.parts).toEqual(whole.parts)
    expect(renderRun(again, noPaint).match(/converge resume \S+/g)).toEqual([`converge resume ${interrupted.run_id}`])
  })

  it('report an expired entry of drift_ignore once', () => {
    const [one, other] = split(documentOf('drift') as DriftDocument)
    const about = { service: 'coder', field: 'state', reason: 'r', owner: 'o', file: 'f', line: 2 }
    const expired = [{ ...about, state: 'expired' as const }]
    for (const second of [[], expired]) {
      const whole = merged([
        { ...one, stale_ignores: expired },
        { ...other, stale_ignores: second },
      ])
      expect(whole).toMatchObject({ stale_ignores: expired, summary: { stale_ignores: 1 } })
    }
  })
})

/** The inventory of a document, with one host more. */
function wholeOf(document: Document): WholeFleet {
  const inventory = document.schema === 'converge/report/v1' ? document.plan?.inventory : document.inventory
  const planned = document.schema === 'converge/report/v1' ? (document.plan?.hosts ?? []) : []
  const hosts = [...new Set([...document.hosts, ...planned].map(({ host }) => host)), 'away']
  return { path: 'inventory', digest: inventory?.digest ?? '', hosts }
}

describe('a host that no part is about', () => {
  const problem = { code: 'REPORT.NOT_LOOKED_AT', why: expect.stringContaining('has away,') }

  it.each(['plan-full', 'drift'])('is an unreachable one: %s', (name) => {
    const document = documentOf(name) as Plan | DriftDocument
    const whole = merged([document], wholeOf(document)) as Plan | DriftDocument
    expect(whole.hosts.at(-1)).toMatchObject({ host: 'away', problem })
    expect(whole.hosts).toHaveLength(document.hosts.length + 1)
    expect(whole.summary.unreachable).toBe(document.summary.unreachable + 1)
  })

  it('is not one that was planned and not reached', () => {
    const document = documentOf('report-apply') as RunReport
    const whole = merged([document], wholeOf(document)) as RunReport
    expect(whole.hosts.map(({ host }) => host)).toEqual(['nas', 'box', 'away'])
    expect(whole.hosts.at(-1)).toMatchObject({ reachable: false, problem })
  })
})

describe('what cannot be put together', () => {
  const [nas, box] = split(documentOf('drift') as DriftDocument)
  const elsewhere = { ...box, inventory: { path: 'inventories/home', digest: 'e'.repeat(64) } }
  const kept = { ...box, facts_from: { folder: 'facts' } }
  const applied = documentOf('report-apply') as RunReport
  const [early] = split(applied)
  const [one, other] = split(verified).map((part, index) => ({ ...part, inventory: { path: 'home', digest: `${index}` } }))
  if (one === undefined || other === undefined) throw new Error('two hosts are needed')

  it.each<readonly [string, readonly Document[], RegExp]>([
    ['of two verbs', [nas, documentOf('plan-full')], /0\.json is of drift, 1\.json is of plan/],
    ['looked at and remembered', [nas, kept], /1\.json is of drift from a facts snapshot/],
    ['of two inventories', [nas, elsewhere], /0\.json and 1\.json were made from different versions of the inventory/],
    ['proofs of two inventories', [one, other], /0\.json and 1\.json were made from different versions of the inventory/],
    ['about one host twice', [nas, box, nas], /nas is in 0\.json and in 2\.json/],
    ['about a host that another one planned', [{ ...early, hosts: [] }, early], /nas is in 0\.json and in 1\.json/],
    ['what went on with a run', [{ ...applied, verb: 'resume' }], /`resume`/],
  ])('%s', (_, documents, why) => {
    expect(() => merged(documents)).toThrow(
      expect.objectContaining({ code: 'REPORT.NO_SHARDS', why: expect.stringMatching(why) }),
    )
  })

  it('with a changed inventory', () => {
    const why = expect.stringContaining('0.json belongs to another inventory than home')
    const whole = { path: 'home', digest: 'f'.repeat(64), hosts: [] }
    expect(() => merged([nas], whole)).toThrow(expect.objectContaining({ code: 'REPORT.NO_SHARDS', why }))
  })
})
