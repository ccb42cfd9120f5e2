import { assertNever } from '../errors/assert-never.ts'
import { isObject } from '../lib/json-object.ts'
import type { DriftDocument } from '../model/drift.ts'
import type { FetchDocument } from '../model/fetch-document.ts'
import type { KeptRun } from '../model/kept-run.ts'
import type { Overview } from '../model/overview.ts'
import type { Plan } from '../model/plan.ts'
import type { RunReport } from '../model/report.ts'
import type { MergedShards, Shard } from '../model/shard.ts'
import { renderDrift } from './drift-text.ts'
import { renderFetch } from './fetch-text.ts'
import type { Result } from './index.ts'
import type { Document } from './merge/merge-runs.ts'
import { overviewOfDrift } from './overview-of-drift.ts'
import { overviewOfPlan, type Surroundings } from './overview-of-plan.ts'
import { overviewOfRun } from './overview-of-run.ts'
import type { Paint } from './paint.ts'
import { renderPlan } from './plan-text.ts'
import { renderRun } from './run-text.ts'
import { mergedShardsText, missingWords, shardSentence } from './shard-text.ts'

/** An earlier run in all formats. */
export function keptResult({ document, overview }: KeptRun): Result {
  return { document, text: (paint) => textOf(document, paint) + shardTextOf(document), overview: () => overview }
}

/** Several documents merged into one. */
export function mergedResult(document: Document): Result {
  const { shards } = document
  const headed = (overview: Overview): Overview =>
    shards === undefined || shards.missing.length === 0
      ? overview
      : { ...overview, headline: `${missingWords(shards.missing, shards.of, shards.unknown_hosts)}. ${overview.headline}` }
  return {
    document,
    text: (paint) => textOf(document, paint) + shardTextOf(document),
    overview: (around) => headed(overviewOf(document, around)),
  }
}

/** What part of a fleet a document of a shard is, or what shards it was merged from. */
function shardTextOf(document: unknown): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so, or it has neither
  const { shard, shards } = (isObject(document) ? document : {}) as { readonly shard?: Shard; readonly shards?: MergedShards }
  return [
    ...(shard === undefined ? [] : [`${shardSentence(shard)}\n`]),
    ...(shards === undefined ? [] : [`${mergedShardsText(shards)}\n`]),
  ].join('')
}

function overviewOf(document: Document, around: Surroundings): Overview {
  switch (document.schema) {
    case 'converge/plan/v1':
      return overviewOfPlan(document, around)
    case 'converge/report/v1':
      return overviewOfRun(document, around)
    case 'converge/drift/v1':
      return overviewOfDrift(document, around)
    default:
      return assertNever(document)
  }
}

/** By its schema; a document with an unknown schema is shown as JSON. */
function textOf(document: unknown, paint: Paint): string {
  const schema = typeof document === 'object' && document !== null && 'schema' in document ? document.schema : undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote it; its schema says what it is
  if (schema === 'converge/plan/v1') return renderPlan(document as Plan, { paint, verbose: false, steps: false })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  if (schema === 'converge/report/v1') return renderRun(document as RunReport, paint)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  if (schema === 'converge/drift/v1') return renderDrift(document as DriftDocument, paint)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  if (schema === 'converge/fetch/v1') return renderFetch(document as FetchDocument, paint)
  return `${paint.whole(JSON.stringify(document, null, 2))}\n`
}
