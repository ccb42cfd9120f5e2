import { hostItself } from '../model/action.ts'
import type { ActionOverview, Finding, ServiceOverview, Tone } from '../model/overview.ts'
import type { SmokeCheck, SmokeResult } from '../model/report.ts'
import { levelWord, stateWords } from './drift-words.ts'
import { duration } from './duration.ts'
import { shown } from './finding-words.ts'
import { html, type Markup } from './markup.ts'

/** Lines of a diff on the page; the JSON report has all of them. */
const mostLines = 400

export interface BesideService {
  /** How its earlier smoke tests went. */
  readonly before: Markup | ''
  readonly steps: Readonly<Record<string, string>>
}

/** A service of the page, open where it is blocked or in trouble. Warnings and ignored findings come last, folded. */
export function renderService(service: ServiceOverview, { before, steps }: BesideService): Markup {
  const { tone, state, actions, findings, smoke, at } = service
  const name = service.service === hostItself ? 'the machine itself' : service.service
  const place = at === undefined ? '' : html`<p class="soft">in <code>${at.file}:${at.line}</code></p>`
  const [grave, slight] = [findings.filter((one) => !isSlight(one)), findings.filter(isSlight)]
  const inside = html`${grave.map(renderFinding)}
${actions.map((action) => renderAction(action, steps[action.id]))}
${smoke === undefined ? '' : renderSmoke(smoke)}${before}
${slight.map(renderFolded)}
${place}`
  const open = isOpen.has(tone) ? html` open` : ''
  return html`<details${open}><summary><h3>${name}</h3> <span class="state ${toneOfState(service)}">${stateWords(state)}</span>
<span class="soft">${findings.map(({ code }) => code).join(', ')}</span></summary>
${inside}</details>
`
}

/** A state has one colour, with or without warnings: `as wanted` is green. */
function toneOfState({ tone, actions, findings, smoke }: ServiceOverview): Tone {
  const isSound = smoke?.ok !== false && !actions.some(({ result }) => result?.status === 'not-run')
  const isWarned =
    tone === 'doubt' && isSound && findings.some(isSlight) && !findings.some(({ level }) => level === 'not compared')
  if (!isWarned) return tone
  return actions.some(({ result }) => result === undefined) ? 'pending' : 'good'
}

const isOpen: ReadonlySet<Tone> = new Set(['bad', 'blocked', 'foreign'])

function isSlight({ level }: Finding): boolean {
  return level === 'warning' || level === 'ignored'
}

const statusTones = { applied: 'good', 'not-needed': 'soft', 'not-run': 'doubt', refused: 'blocked', failed: 'bad' } as const

/** The colour of each level; a service with one finding has the same. */
const levelTones: Readonly<Record<Finding['level'], Tone | 'soft'>> = {
  refused: 'blocked',
  warning: 'doubt',
  overruled: 'soft',
  drift: 'bad',
  both: 'bad',
  foreign: 'foreign',
  pending: 'pending',
  'not compared': 'doubt',
  ignored: 'soft',
}

function renderFinding(finding: Finding): Markup {
  return html`<div class="finding"><p>${titleOf(finding)}</p>
${reasonOf(finding)}</div>
`
}

function renderFolded(finding: Finding): Markup {
  return html`<details class="finding"><summary>${titleOf(finding)}</summary>
${reasonOf(finding)}</details>
`
}

function titleOf({ level, code, summary }: Finding): Markup {
  return html`<span class="state ${levelTones[level]}">${levelWord(level)}</span> <code>${code}</code> ${summary}`
}

function reasonOf({ why, evidence, next, values }: Finding): Markup {
  return html`${why === '' ? '' : html`<p>${why}</p>`}
${values === undefined ? '' : renderValues(values)}${labelled('evidence', evidence)}${labelled('next', next.map(String))}`
}

function renderValues({ wanted, applied, here }: NonNullable<Finding['values']>): Markup {
  return html`<dl><dt>inventory</dt><dd>${shown(wanted)}</dd><dt>last applied</dt><dd>${shown(applied)}</dd><dt>on the host</dt><dd>${shown(here)}</dd></dl>`
}

function labelled(label: string, items: readonly string[]): Markup | string {
  return items.length === 0 ? '' : html`<dl><dt>${label}</dt>${items.map((one) => html`<dd>${one}</dd>`)}</dl>`
}

function renderAction(
  { kind, reason, changes, diff, downtime, note, result }: ActionOverview,
  steps: string | undefined,
): Markup {
  const outcome =
    result === undefined
      ? ''
      : html` <span class="state ${statusTones[result.status]}">${result.status}</span>${
          result.ms === 0
            ? ''
            : html`
<span class="soft">${duration(result.ms)}</span>`
        }`
  const problem = result?.problem
  return html`<div class="action"><p><strong>${kind}</strong> ${reason}${outcome}</p>
${labelled('down', downtime === undefined ? [] : [downtime])}${labelled('change', changes)}${labelled('note', note === undefined ? [] : [note])}
${problem === undefined ? '' : html`<p class="bad">${problem.summary}</p><p>${problem.why}</p>${labelled('next', problem.next.map(String))}`}
${result === undefined ? '' : renderRemains(result)}
${diff === undefined ? '' : renderDiff(diff)}${renderSteps('steps', steps)}</div>
`
}

const listOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])

/** What a failed action left on the host. */
function renderRemains({
  done,
  stopped_at: stopped,
  rollback_stopped_at: stuck,
  left,
}: NonNullable<ActionOverview['result']>): Markup {
  return html`${labelled('done', stopped === undefined ? [] : done)}${labelled('stopped at', listOf(stopped))}${labelled('rollback stopped at', listOf(stuck))}${labelled('left', listOf(left))}`
}

/** The steps, folded; empty without `--steps`. */
export function renderSteps(title: string, steps: string | undefined): Markup | '' {
  if (steps === undefined) return ''
  return html`<details><summary>${title}</summary><pre tabindex="0">${steps}</pre></details>`
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

/** A bar for each check, to scale; the table has the numbers for readers who cannot see bars. */
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
