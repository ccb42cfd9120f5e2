import type { Finding } from '../model/overview.ts'
import type { PastRun } from '../model/past-run.ts'
import { html, type Markup } from './markup.ts'

/** The parts of a bar, from the bottom up. */
const layers: readonly { readonly name: string; readonly tone: string; readonly levels: readonly Finding['level'][] }[] = [
  { name: 'drift or conflict', tone: 'bad', levels: ['drift', 'both'] },
  { name: 'foreign', tone: 'foreign', levels: ['foreign'] },
  { name: 'pending', tone: 'pending', levels: ['pending'] },
]

/** More bars than this are too narrow on a phone. */
const mostBars = 40

/** In units of the drawing, which scales with the page. */
const frame = { width: 640, height: 120, top: 8, left: 48, bottom: 20 } as const

/**
 * The findings of earlier comparisons: a bar each, and a table for readers who cannot see bars. Only comparisons of the same hosts and
 * services as the last one are shown. Empty where there are fewer than two.
 *
 * @param runs the oldest first
 */
export function driftHistory(runs: readonly PastRun[]): Markup | '' {
  const comparisons = runs.filter(({ verb, fromFacts }) => verb === 'drift' && !fromFacts)
  const last = comparisons.at(-1)
  const shown = comparisons.filter((one) => last !== undefined && isAbout(one) === isAbout(last)).slice(-mostBars)
  const [first] = shown
  if (first === undefined || last === undefined || shown.length < 2) return ''
  const words = `Findings of the last ${shown.length} comparisons, ${moment(first.at)} to ${moment(last.at)} (UTC)`
  return html`<section aria-labelledby="history"><h2 id="history">Earlier comparisons</h2>
<p class="soft">${words}: ${layers.map(({ name, tone }, index) => html`${index === 0 ? '' : ', '}<span class="${tone}"><span aria-hidden="true">■ </span>${name}</span>`)}.
A ring: something was unreachable or not compared.</p>
${bars(shown, words)}
<details><summary>the numbers</summary>
<div class="wide" role="region" aria-label="Findings by run" tabindex="0"><table>
<thead><tr><th scope="col">when</th>${layers.map(({ name }) => html`<th scope="col">${name}</th>`)}<th scope="col">not compared</th><th scope="col">unreachable hosts</th></tr></thead>
<tbody>${shown.toReversed().map(
    (run) =>
      html`<tr><th scope="row">${moment(run.at)}</th>${layers.map(({ levels }) => html`<td>${count(run, levels)}</td>`)}<td>${count(run, unseen)}</td><td>${run.unreachable}</td></tr>
`,
  )}</tbody></table></div></details></section>
`
}

function bars(runs: readonly PastRun[], words: string): Markup {
  const { width, height, top, left, bottom } = frame
  const ground = height - bottom
  const most = Math.max(1, ...runs.map(total))
  const slot = (width - left) / runs.length
  const wide = Math.min(24, slot * 0.7)
  const scale = (ground - top) / most
  const drawn = runs.map((run, index) => {
    const x = left + slot * (index + 0.5)
    return html`<g><title>${sentence(run)}</title>${stack(run, scale).map(
      ({ tone, from, high }) =>
        html`<rect class="${tone}" fill="currentColor" x="${round(x - wide / 2)}" y="${round(ground - from - high)}" width="${round(wide)}" height="${round(high)}"></rect>`,
    )}${total(run) === 0 && isWhole(run) ? html`<circle class="good" fill="currentColor" cx="${round(x)}" cy="${ground - 3}" r="2.5"></circle>` : ''}${
      isWhole(run)
        ? ''
        : html`<circle class="doubt" fill="none" stroke="currentColor" stroke-width="2" cx="${round(x)}" cy="${height - 8}" r="4"></circle>`
    }</g>`
  })
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}; the table below has the numbers.">
<g class="soft"><line stroke="currentColor" x1="${left}" x2="${width}" y1="${ground}" y2="${ground}"></line>
<line stroke="currentColor" stroke-dasharray="2 4" x1="${left}" x2="${width}" y1="${top}" y2="${top}"></line></g>
<text x="${left - 6}" y="${top + 4}" text-anchor="end">${most}</text><text x="${left - 6}" y="${ground + 4}" text-anchor="end">0</text>
${drawn}</svg>
`
}

/** The layers of one bar, each with its start and height. */
function stack(run: PastRun, scale: number): readonly { readonly tone: string; readonly from: number; readonly high: number }[] {
  let from = 0
  return layers.flatMap(({ tone, levels }) => {
    const high = count(run, levels) * scale
    from += high
    return high === 0 ? [] : [{ tone, from: from - high, high }]
  })
}

/**
 * The time of a server's answers in earlier smoke tests, as words and as a line. Empty where there are fewer than two.
 *
 * @param runs the oldest first
 * @param name `host/service`
 */
export function answerHistory(runs: readonly PastRun[], name: string): Markup | '' {
  const times = runs.flatMap(({ answerMs }) => (Object.hasOwn(answerMs, name) ? [answerMs[name] ?? 0] : [])).slice(-mostBars)
  if (times.length < 2) return ''
  const [least, most] = [Math.min(...times), Math.max(...times)]
  // A difference of a few milliseconds is drawn flat.
  const range = Math.max(most - least, most / 4)
  const { width, height } = { width: 160, height: 28 }
  const points = times.map((ms, index) => {
    const x = 3 + (index * (width - 6)) / (times.length - 1)
    const y = range === 0 ? height / 2 : 3 + ((most - ms) * (height - 6)) / range
    return [round(x), round(y)] as const
  })
  const [x, y] = points.at(-1) ?? [0, 0]
  return html`<p class="soft"><svg width="${width}" height="${height}" aria-hidden="true"><polyline fill="none" stroke="currentColor" stroke-width="1.5" points="${points.map((point) => point.join(',')).join(' ')}"></polyline><circle fill="currentColor" cx="${x}" cy="${y}" r="3"></circle></svg>
answers in the last ${times.length} proofs: ${seconds(least)} to ${seconds(most)}, the last ${seconds(times.at(-1) ?? 0)}</p>
`
}

function sentence(run: PastRun): string {
  const found = layers.flatMap(({ name, levels }) => {
    const number = count(run, levels)
    return number === 0 ? [] : [`${number} ${name}`]
  })
  const missing = [
    ...(count(run, unseen) === 0 ? [] : [`${count(run, unseen)} not compared`]),
    ...(run.unreachable === 0 ? [] : [`${run.unreachable} of ${run.hosts.length} hosts unreachable`]),
  ]
  return `${moment(run.at)}: ${[...(found.length === 0 ? ['nothing found'] : found), ...missing].join(', ')}`
}

const unseen: readonly Finding['level'][] = ['not compared']

/** All of its hosts were compared. */
function isWhole(run: PastRun): boolean {
  return run.unreachable === 0 && count(run, unseen) === 0
}

function isAbout({ hosts, services }: PastRun): string {
  return JSON.stringify([hosts.toSorted(), services.toSorted()])
}

function total(run: PastRun): number {
  return layers.reduce((sum, { levels }) => sum + count(run, levels), 0)
}

function count({ findings }: PastRun, levels: readonly Finding['level'][]): number {
  return levels.reduce((sum, level) => sum + (findings[level] ?? 0), 0)
}

/** `2026-11-01 08:00`. */
function moment(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
