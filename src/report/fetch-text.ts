import prettyBytes from 'pretty-bytes'
import type { FetchedState } from '../model/fetch.ts'
import type { Problem } from '../model/plan.ts'
import type { Paint } from './paint.ts'

/** What `converge fetch --json` prints, and `fetch status` and `stop`. */
export interface FetchDocument {
  readonly schema: 'converge/fetch/v1'
  /** Hosts that could not be looked at. */
  readonly unreachable: readonly { readonly host: string; readonly problem: Problem }[]
  /** In the inventory's order. */
  readonly models: readonly FetchedModel[]
}

export interface FetchedModel {
  readonly host: string
  readonly services: readonly string[]
  /** `model.path` */
  readonly model: string
  readonly hub: string
  readonly repo: string
  /** As the inventory has it. */
  readonly revision: string
  /** Null: the hub could not be asked. */
  readonly commit: string | null
  /** Empty while nobody knows which they are. */
  readonly files: readonly FetchedModelFile[]
  readonly state: FetchedState
  /** Why it is not `complete`, and what to do; absent where there is nothing to explain. */
  readonly problem?: Problem
}

export interface FetchedModelFile {
  readonly path: string
  readonly bytes: number
  /** Bytes that have arrived. */
  readonly have: number
  readonly state: 'complete' | 'unverified' | 'other' | 'partial' | 'missing'
}

const marks = {
  complete: ['green', '✓'],
  fetching: ['cyan', '↓'],
  due: ['yellow', '~'],
  stopped: ['yellow', '■'],
  failed: ['red', '✗'],
  refused: ['red', '✗'],
  unknown: ['yellow', '?'],
} as const satisfies Record<FetchedState, readonly [string, string]>

/** A line for each model, and what stands in its way below. */
export function renderFetch({ unreachable, models }: Omit<FetchDocument, 'schema'>, paint: Paint): string {
  const lines = models.flatMap((one) => {
    const [colour, mark] = marks[one.state]
    const who = `${one.services.join(', ')}@${one.host}`
    const source = `${one.repo}${one.commit === null ? '' : ` at ${one.commit.slice(0, 12)}`}`
    return [
      `${paint([colour], mark)} ${paint(['bold'], who)}  ${source}  ${stateWords(one)}`,
      ...(one.problem === undefined ? [] : problemLines(one.problem, paint)),
    ]
  })
  const unseen = unreachable.flatMap(({ host, problem }) => [
    `${paint(['red'], '✗')} ${paint(['bold'], host)}  cannot be looked at`,
    ...problemLines(problem, paint),
  ])
  const nothing = lines.length + unseen.length === 0 ? ['No selected service has a model.source.'] : []
  return [...lines, ...unseen, ...nothing].map((line) => `${line}\n`).join('')
}

function problemLines({ code, why, next }: Problem, paint: Paint): readonly string[] {
  return [`    ${paint(['red'], code)}  ${why}`, ...next.map((one) => `    next: ${one}`)]
}

function stateWords({ state, files }: FetchedModel): string {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const have = files.reduce((sum, one) => sum + one.have, 0)
  const count = files.length === 1 ? 'one file' : `${files.length} files`
  const complete = files.filter((one) => one.state === 'complete').length
  if (files.length === 0) return state === 'due' ? 'not fetched yet' : state
  if (state === 'complete') return `complete: ${count}, ${binary(total)}`
  const words = {
    fetching: 'fetching',
    due: 'to fetch',
    stopped: 'stopped',
    failed: 'failed',
    refused: 'refused',
    unknown: 'unknown',
  }
  return `${words[state]}: ${complete} of ${count} complete, ${binary(have)} of ${binary(total)}`
}

function binary(bytes: number): string {
  return prettyBytes(bytes, { binary: true })
}
