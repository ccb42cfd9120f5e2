import { binaryBytes } from '../lib/binary-bytes.ts'
import { counted } from '../lib/counted.ts'
import type { FetchedState } from '../model/fetch.ts'
import type { FetchPlan, FetchTotals, HostPlan } from '../model/plan.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { whyText } from './why-text.ts'

const marks = {
  complete: ['dim', '·'],
  fetching: ['cyan', '↓'],
  due: ['cyan', '↓'],
  stopped: ['yellow', '■'],
  failed: ['red', '✗'],
  refused: ['red', '✗'],
  unknown: ['yellow', '?'],
} as const satisfies Record<FetchedState, readonly [string, string]>

/** `↓ fetch coder: 2 of 3 files, 33.3 GiB, 310 GiB free`: a line for each model from a hub; complete ones only with `verbose`. */
export function renderFetches(
  { fetches = [] }: Pick<HostPlan, 'fetches'>,
  { paint, verbose }: { readonly paint: Paint; readonly verbose: boolean },
): readonly string[] {
  return fetches
    .filter((one) => verbose || !isThere(one))
    .map((one) => {
      const [colour, mark] = marks[one.state]
      const code = one.problem === undefined ? '' : `  ${paint([colour], one.problem.code)}`
      const line = `${paint([colour], `${mark} ${paint.hang}fetch`)} ${paint(['bold'], one.services.join(', '))}: ${wordsOf(one)}${code}`
      return indent([line, ...problemLines(one, paint)].join('\n'))
    })
}

/** It is complete on the host. */
export function isThere({ state }: FetchPlan): boolean {
  return state === 'complete'
}

const stateWords: Readonly<Record<FetchedState, string>> = {
  complete: 'complete',
  fetching: 'under way',
  due: 'not fetched yet',
  stopped: 'stopped',
  failed: 'failed',
  refused: 'refused',
  unknown: 'unknown',
}

function wordsOf(plan: FetchPlan): string {
  const { state, files, from, free_bytes: free } = plan
  if (files === undefined) return stateWords[state]
  const first = state === 'due' ? [] : [stateWords[state]]
  if (state === 'complete') return [...first, counted(files.count, 'file'), binaryBytes(files.bytes)].join(', ')
  const room = files.bytes_to_fetch === 0 || free === undefined || state === 'fetching' ? [] : [`${binaryBytes(free)} free`]
  return [...first, ...comingWords(files, from), ...verifyWords(files), ...otherWords(files), ...room].join(', ')
}

function comingWords(
  { count, complete, unverified, other, bytes_to_fetch: bytes }: FetchTotals,
  from: FetchPlan['from'],
): readonly string[] {
  const coming = count - complete - unverified - other
  return coming === 0 ? [] : [share(coming, count), `${binaryBytes(bytes)}${placeWords(bytes, from)}`]
}

/** ` from nas`, ` from nas and the hub`; empty: from the hub alone. */
function placeWords(coming: number, from: FetchPlan['from'] = []): string {
  if (from.length === 0) return ''
  const isAll = from.reduce((sum, one) => sum + one.bytes, 0) >= coming
  const places = [...from.map(({ host }) => host), ...(isAll ? [] : ['the hub'])]
  const last = places.at(-1) ?? ''
  return ` from ${places.length === 1 ? last : `${places.slice(0, -1).join(', ')} and ${last}`}`
}

function verifyWords({ count, unverified }: FetchTotals): readonly string[] {
  return unverified === 0 ? [] : [`${share(unverified, count)} to verify`]
}

function otherWords({ count, other }: FetchTotals): readonly string[] {
  return other === 0 ? [] : [`${share(other, count)} different from the source`]
}

function share(some: number, all: number): string {
  return some === all ? counted(all, 'file') : `${some} of ${counted(all, 'file')}`
}

function problemLines({ problem }: FetchPlan, paint: Paint): readonly string[] {
  if (problem === undefined) return []
  return [
    indent(whyText(problem.why), 4),
    ...problem.next.map((one) => `    ${paint(['dim'], 'next:')} ${paint.hang}${nextText(one, paint)}`),
  ]
}
