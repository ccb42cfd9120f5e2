import { hostItself } from '../model/action.ts'
import type { ActionOverview, Finding, ServiceOverview } from '../model/overview.ts'
import type { SmokeCheck, SmokeResult } from '../model/report.ts'
import { shown } from './finding-words.ts'
import { html, type Markup } from './markup.ts'
import { severities } from './severity.ts'

/** Lines of a diff that a page shows; all of it is in the JSON report. */
const mostLines = 400

/**
 * A service of the page, unfolded where a person should look.
 *
 * @param before how its earlier smoke tests went
 */
export function renderService(service: ServiceOverview, before: Markup | ''): Markup {
  const { tone, state, actions, findings, smoke, at } = service
  const name = service.service === hostItself ? 'the machine itself' : service.service
  const place = at === undefined ? '' : html`<p class="soft">in <code>${at.file}:${at.line}</code></p>`
  const inside = html`${findings.map(renderFinding)}
${actions.map(renderAction)}
${smoke === undefined ? '' : renderSmoke(smoke)}${before}
${place}`
  const open = tone === 'bad' || tone === 'doubt' ? html` open` : ''
  return html`<details${open}><summary><h3>${name}</h3> <span class="state ${tone}">${state}</span>
<span class="soft">${findings.map(({ code }) => code).join(', ')}</span></summary>
${inside}</details>
`
}

const statusTones = { applied: 'good', 'not-needed': 'soft', 'not-run': 'doubt', refused: 'bad', failed: 'bad' } as const

const levelTones = { error: 'bad', warning: 'doubt', note: 'soft' } as const

function renderFinding({ level, code, summary, why, evidence, next, values }: Finding): Markup {
  return html`<div class="finding"><p><span class="state ${levelTones[severities[level]]}">${level}</span> <code>${code}</code> ${summary}</p>
${why === '' ? '' : html`<p>${why}</p>`}
${values === undefined ? '' : renderValues(values)}${labelled('seen', evidence)}${labelled('next', next.map(String))}</div>
`
}

function renderValues({ wanted, applied, here }: NonNullable<Finding['values']>): Markup {
  return html`<dl><dt>wanted</dt><dd>${shown(wanted)}</dd><dt>last applied</dt><dd>${shown(applied)}</dd><dt>here</dt><dd>${shown(here)}</dd></dl>`
}

function labelled(label: string, items: readonly string[]): Markup | string {
  return items.length === 0 ? '' : html`<dl>${items.map((one) => html`<dt>${label}</dt><dd>${one}</dd>`)}</dl>`
}

function renderAction({ kind, reason, changes, diff, downtime, note, result }: ActionOverview): Markup {
  const outcome =
    result === undefined
      ? ''
      : html` <span class="state ${statusTones[result.status]}">${result.status}</span>
<span class="soft">${(result.ms / 1000).toFixed(1)} s</span>`
  const problem = result?.problem
  return html`<div class="action"><p><strong>${kind}</strong> ${reason}${outcome}</p>
${labelled('down', downtime === undefined ? [] : [downtime])}${labelled('change', changes)}${labelled('note', note === undefined ? [] : [note])}
${problem === undefined ? '' : html`<p class="bad">${problem.summary}</p><p>${problem.why}</p>${labelled('next', problem.next.map(String))}`}
${labelled('left', result?.left === undefined ? [] : [result.left])}
${diff === undefined ? '' : renderDiff(diff)}</div>
`
}

function renderDiff(diff: string): Markup {
  const lines = diff.trimEnd().split('\n')
  const more = lines.length - mostLines
  const rows = lines.slice(0, mostLines).map((line) => html`<span class="${lineClass(line)}">${line}</span>\n`)
  return html`<details><summary>definition</summary><pre tabindex="0">${rows}${more > 0 ? `… ${more} more lines\n` : ''}</pre></details>`
}

function lineClass(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@')) return 'place'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'gone' : 'same'
}

/** A bar for each check, as long as it took beside the longest; the numbers stand in a table for who cannot see bars. */
function renderSmoke({ host, service, checks }: SmokeResult): Markup {
  const longest = checks.reduce((most, { ms }) => Math.max(most, ms), 1)
  const rows = checks.map((check) => {
    const width = Math.max(2, Math.round((check.ms / longest) * 160))
    return html`<tr><th scope="row">${check.name}</th><td class="state ${toneOf(check)}">${wordFor(check)}</td>
<td>${check.skipped === undefined ? `${check.ms} ms` : ''}</td>
<td class="narrow-off"><svg width="160" height="12" aria-hidden="true"><rect width="${check.skipped === undefined ? width : 0}" height="12" rx="2" fill="currentColor" class="${toneOf(check)}"></rect></svg></td>
<td>${check.skipped ?? check.detail}</td></tr>
`
  })
  return html`<div class="wide" role="region" aria-label="Smoke test of ${service} on ${host}" tabindex="0"><table>
<thead><tr><th scope="col">check</th><th scope="col">result</th><th scope="col">time</th><th scope="col" class="narrow-off">compared</th><th scope="col">detail</th></tr></thead>
<tbody>${rows}</tbody></table></div>
`
}

function toneOf({ ok, skipped }: SmokeCheck): 'good' | 'bad' | 'soft' {
  return skipped !== undefined ? 'soft' : ok ? 'good' : 'bad'
}

function wordFor({ ok, skipped }: SmokeCheck): string {
  return skipped !== undefined ? 'skipped' : ok ? 'ok' : 'failed'
}
