import prettyBytes from 'pretty-bytes'
import type { FetchedState } from '../model/fetch.ts'
import type { EndedJob, FetchDocument, FetchedModel } from '../model/fetch-document.ts'
import type { Problem } from '../model/plan.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { whyText } from './why-text.ts'

const marks = {
  complete: ['green', '✓'],
  fetching: ['cyan', '↓'],
  due: ['yellow', '~'],
  stopped: ['yellow', '■'],
  failed: ['red', '✗'],
  refused: ['red', '✗'],
  unknown: ['yellow', '?'],
} as const satisfies Record<FetchedState, readonly [string, string]>

/** A line for each model, and below it what stops it. */
export function renderFetch({ unreachable, models }: Pick<FetchDocument, 'unreachable' | 'models'>, paint: Paint): string {
  const lines = models.flatMap((one) => {
    const [colour, mark] = marks[one.state]
    const who = `${one.services.join(', ')}@${one.host}`
    const source = `${one.repo}${one.commit === null ? '' : ` at ${one.commit.slice(0, 12)}`}`
    return [
      `${paint([colour], mark)} ${paint.hang}${paint(['bold'], who)}  ${source}  ${stateWords(one)}`,
      ...(one.resumed === undefined ? [] : [`    restarted: ${paint.hang}${endedWords(one.resumed)}`]),
      ...(one.problem === undefined ? [] : problemLines(one.problem, paint, 'red')),
      ...(one.warning === undefined ? [] : problemLines(one.warning, paint, 'yellow')),
    ]
  })
  const unseen = unreachable.flatMap(({ host, problem }) => [
    `${paint(['red'], '✗')} ${paint.hang}${paint(['bold'], host)}  unreachable`,
    ...problemLines(problem, paint, 'red'),
  ])
  const nothing = lines.length + unseen.length === 0 ? ['No selected service has a model.source.'] : []
  return [...lines, ...unseen, ...nothing].map((line) => `${line}\n`).join('')
}

function problemLines({ code, why, next }: Problem, paint: Paint, colour: 'red' | 'yellow'): readonly string[] {
  return [
    indent(`${paint([colour], code)}  ${whyText(why)}`, 4),
    ...next.map((one) => `    next: ${paint.hang}${nextText(one, paint)}`),
  ]
}

/** `the previous download failed (MODEL.NO_SPACE)`. */
function endedWords({ state, problem }: EndedJob): string {
  const code = problem === undefined ? '' : ` (${problem.code})`
  return `the previous download ${state === 'failed' ? 'failed' : state === 'stopped' ? 'was stopped' : 'was cut off'}${code}`
}

/** Its job was killed, or its host restarted, and no job has started since. */
export function isCutOff({ state, job, commit }: FetchedModel): boolean {
  return state === 'due' && job?.state === 'working' && !job.alive && job.commit === commit
}

function stateWords(model: FetchedModel): string {
  const { state, files } = model
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
  const hosts = [...new Set(files.flatMap(({ from }) => from ?? []))]
  const from = hosts.length === 0 ? '' : `, from ${hosts.join(', ')}`
  const isThere = state === 'due' && files.every((one) => one.state === 'complete' || one.state === 'unverified')
  if (isThere) return `to verify: ${count}, ${binary(total)}`
  const word = isCutOff(model) ? 'cut off' : words[state]
  return `${word}: ${complete} of ${count} complete, ${binary(have)} of ${binary(total)}${from}`
}

function binary(bytes: number): string {
  return prettyBytes(bytes, { binary: true })
}
