import { hostItself } from '../model/action.ts'
import type { HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import type { PastRun } from '../model/past-run.ts'
import type { Problem } from '../model/plan.ts'
import { stateWords } from './drift-words.ts'
import type { ReportExtras } from './extras.ts'
import { ageLine, ageScript, refreshHead } from './html-age.ts'
import { answerHistory, driftHistory } from './html-history.ts'
import { renderService, renderSteps } from './html-service.ts'
import { style } from './html-style.ts'
import { html, type Markup } from './markup.ts'

/** In a larger fleet, the table and the JSON report have the other hosts. */
const mostHosts = 500

const toneWords: Readonly<Record<Tone, string>> = {
  good: 'ok',
  pending: 'to change',
  doubt: 'to check',
  foreign: 'foreign',
  blocked: 'blocked',
  bad: 'in trouble',
}

/**
 * One page that needs nothing beside itself: no font, no request, and no script except for its age (`html-age.ts`). Light and dark, readable on a phone and on paper. First
 * the fleet at a glance, then, of a comparison, what earlier ones found, then each host with its services. Services that are blocked or
 * in trouble are open, the others are folded.
 */
export function renderHtml(overview: Overview, { past = [], steps = {}, refresh }: ReportExtras = {}): string {
  const { verb, inventory, headline, tone, hosts, issues } = overview
  const shown = hosts.slice(0, mostHosts)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="converge ${overview.version}">
<link rel="icon" href="data:,">
<title>converge ${verb}${inventory === undefined ? '' : ` of ${inventory}`}: ${words(tone, verb)}</title>
`
  const body = html`</head>
<body>
<header>
<h1>converge ${verb}</h1>
<p class="headline ${tone}">${headline}</p>
<p class="soft">${about(overview)}</p>${ageLine(refresh)}${(overview.next ?? []).map(
    (one) => html`
<p>next: <code>${String(one)}</code></p>`,
  )}
</header>
<main>
${issues.length === 0 ? '' : issueList(overview)}
${hosts.length === 0 ? '' : glance(hosts, verb)}
${verb === 'drift' ? driftHistory(past) : ''}
${shown.map((host, index) => hostSection(host, { index, verb, past, steps }))}
${shown.length < hosts.length ? html`<p>${hosts.length - shown.length} more hosts are in the JSON report.</p>` : ''}
</main>
`
  // Style and script are constants: nothing in them is escaped.
  return `${page.text}${refreshHead(refresh)}<style>${style}</style>\n${body.text}${ageScript(refresh)}</body>\n</html>\n`
}

function about({ inventory, at, runId, version }: Overview): string {
  return [
    ...(inventory === undefined ? [] : [inventory]),
    ...(at === undefined ? [] : [at.replace(/\.\d+Z$/, 'Z')]),
    ...(runId === undefined ? [] : [`run ${runId}`]),
    `converge ${version}`,
  ].join(' · ')
}

/** A proof compares nothing, and a comparison finds changes: neither says what the plan would. */
function words(tone: Tone, verb: string): string {
  if (tone === 'good' && verb === 'verify') return 'works'
  return tone === 'bad' && verb === 'drift' ? 'changed' : toneWords[tone]
}

function issueList({ issues }: Overview): Markup {
  const items = issues.map(
    ({ severity, code, message, at }) => html`<li><span class="state ${severity === 'error' ? 'bad' : 'doubt'}">${severity}</span>
<code>${at.file}:${at.line}:${at.column}</code> <code>${code}</code> ${message}</li>
`,
  )
  return html`<section class="card" aria-label="Inventory"><ul>${items}</ul></section>`
}

/** One row per host: its services by their state. */
function glance(hosts: readonly HostOverview[], verb: string): Markup {
  const rows = hosts.map(
    (
      host,
      index,
    ) => html`<tr><th scope="row">${index < mostHosts && hasSection(host) ? html`<a href="#host-${index}">${host.host}</a>` : host.host}</th>
<td class="state ${host.tone}">${stateOf(host, verb)}</td>
<td class="narrow-off">${servicesInWords(host)}</td></tr>
`,
  )
  return html`<section aria-labelledby="glance"><h2 id="glance">The fleet</h2>
<div class="wide" role="region" aria-label="Hosts" tabindex="0"><table>
<thead><tr><th scope="col">host</th><th scope="col">state</th><th scope="col" class="narrow-off">services</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>
`
}

function servicesInWords({ services }: HostOverview): string {
  const named = services.filter(({ service }) => service !== hostItself)
  return [...Map.groupBy(named, ({ state }) => state)].map(([state, of]) => `${of.length} ${stateWords(state)}`).join(' · ')
}

/** False: the table says enough about the host. */
function hasSection({ services, problem }: HostOverview): boolean {
  return services.length > 0 || problem !== undefined
}

interface Page extends Required<Omit<ReportExtras, 'refresh'>> {
  readonly index: number
  readonly verb: string
}

function hostSection(host: HostOverview, { index, verb, past, steps }: Page): Markup | '' {
  if (!hasSection(host)) return ''
  return html`<section aria-labelledby="host-${index}"><h2 id="host-${index}">${host.host}
<span class="state ${host.tone}">${stateOf(host, verb)}</span></h2>
${host.appliedAt === undefined ? '' : html`<p class="soft">last applied ${host.appliedAt}</p>`}
${host.problem === undefined ? '' : problemCard(host.problem)}
${host.services.toSorted(byTone).map((one) => renderService(one, { before: historyOf(host, one, past), steps }))}
${renderSteps('around these steps', steps[host.host])}
</section>
`
}

/** Only beside a proof of this run: a plan proves nothing. */
function historyOf({ host }: HostOverview, { service, smoke }: ServiceOverview, past: readonly PastRun[]): Markup | '' {
  return smoke === undefined ? '' : answerHistory(past, `${host}/${service}`)
}

function stateOf({ reachable, tone }: HostOverview, verb: string): string {
  return reachable ? words(tone, verb) : 'unreachable'
}

const order: readonly Tone[] = ['bad', 'blocked', 'foreign', 'doubt', 'pending', 'good']

function byTone(a: ServiceOverview, b: ServiceOverview): number {
  return order.indexOf(a.tone) - order.indexOf(b.tone)
}

function problemCard({ code, summary, why, next }: Problem): Markup {
  return html`<div class="card"><p><span class="state bad">${summary}</span> <code>${code}</code></p><p>${why}</p>
<ul>${next.map((one) => html`<li>${String(one)}</li>`)}</ul></div>`
}
