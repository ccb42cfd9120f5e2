import { defined } from '../lib/defined.ts'
import type { AppliedRecord, WarmUp } from '../model/applied-record.ts'
import type { RunEvent } from '../model/event.ts'
import { requestIn, type SmokeCheck, type SmokeResult } from '../model/report.ts'
import type { ReadyAction } from './prepared-action.ts'

/** Measures how long the servers that this run started took to answer. */
export interface Stopwatch {
  /** Notes when a server is touched. */
  hear(event: RunEvent, now: number): void
  /** @param began start of the proof */
  proved(result: SmokeResult, began: number): void
  /** The record with the new measurement, or with the earlier one. */
  noted(ready: ReadyAction, record: AppliedRecord): AppliedRecord
}

export function createStopwatch(): Stopwatch {
  const touched = new Map<string, number>()
  const proofs = new Map<string, { readonly result: SmokeResult; readonly began: number }>()
  return {
    hear: (event, now) => {
      if (event.type === 'step-started' && event.server === true && !touched.has(event.action)) touched.set(event.action, now)
    },
    proved: (result, began) => {
      proofs.set(result.service, { result, began })
    },
    noted: ({ action }, record) => {
      const started = action.starts ? touched.get(action.id) : undefined
      const proof = proofs.get(action.service)
      const { model } = action.relies_on
      if (started === undefined || proof === undefined || model === undefined) return record
      const seen = measured(proof.result.checks, proof.began - started)
      if (seen === undefined) return record
      const measuredAt = new Date(proof.began).toISOString()
      const now = { ...seen, measuredAt, model, definitionDigest: record.definitionDigest }
      return { ...record, warmup: better(record.warmup, now) }
    },
  }
}

/** @param sinceMs from the start until the proof began */
function measured(
  checks: readonly SmokeCheck[],
  sinceMs: number,
): Pick<WarmUp, 'healthyS' | 'completionS' | 'chatS' | 'atMost'> | undefined {
  const endOf = (asked: SmokeCheck | undefined): number | undefined => {
    const at = checks.findIndex((check) => check === asked && check.ok && check.skipped === undefined)
    return at < 0 ? undefined : inSeconds(sinceMs + checks.slice(0, at + 1).reduce((sum, { ms }) => sum + ms, 0))
  }
  const health = checks.find(({ name }) => name === 'health')
  const [healthyS, completionS] = [endOf(health), endOf(requestIn(checks))]
  if (healthyS === undefined) return undefined
  const atOnce = (health?.ms ?? 0) < firstLookMs
  const chat = completionS === undefined ? undefined : checks.find(({ name }) => name === 'completion')
  const chatS = chat && Math.max(1, Math.round(chat.ms)) / 1000
  return { healthyS, ...defined({ completionS, chatS }), ...(atOnce ? { atMost: true } : {}) }
}

/** A health check that fails at first takes at least one pause. */
const firstLookMs = 250

/** An earlier, shorter time with the same model and definition is better than one that was measured late. */
function better(before: WarmUp | undefined, now: WarmUp): WarmUp {
  const same = before?.model === now.model && before.definitionDigest === now.definitionDigest
  const late = now.atMost === true && (now.completionS === undefined || before?.completionS !== undefined)
  return same && late && before.healthyS <= now.healthyS ? before : now
}

function inSeconds(ms: number): number {
  return Math.round(ms / 100) / 10
}
