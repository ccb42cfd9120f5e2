import { hostItself } from '../model/action.ts'
import type { ActionOverview, Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import { requestIn } from '../model/report.ts'
import { levelWord, stateWords } from './drift-words.ts'
import type { ReportExtras } from './extras.ts'
import { shown } from './finding-words.ts'
import { foldFields } from './fold-fields.ts'
import {
  type Block,
  bullets,
  codeSpan,
  cutBullets,
  cutTable,
  fence,
  folded,
  heading,
  oneLine,
  paragraph,
  plainHtml,
  strong,
  text,
  words,
  write,
} from './markdown-nodes.ts'

/** Characters: GitHub accepts 65,536 in a comment. */
const longest = 60_000

const signs: Readonly<Record<Tone, string>> = { good: '✅', pending: '🔶', doubt: '⚠️', foreign: '❌', blocked: '⛔', bad: '❌' }

/**
 * GitHub-flavoured Markdown, for a step summary, a comment or a chat: a table of what is not as wanted, then the reasons of refusals and
 * failures, then the changes. At most 60,000 characters; parts that do not fit are counted.
 */
export function renderMarkdown(overview: Overview, { steps = {} }: ReportExtras = {}): string {
  const blocks = [
    write([heading(2, `${signs[overview.tone]} converge ${overview.verb}: ${overview.headline}`)]),
    ...nextBlocks(overview),
    ...issueBlocks(overview),
    ...stateBlocks(overview),
    ...differenceBlocks(overview.hosts),
    ...overview.hosts.flatMap(problemBlocks),
    ...eachService(overview.hosts, findingBlocks),
    ...eachService(overview.hosts, failureBlocks),
    ...eachService(overview.hosts, (host, service) => changeBlocks(host, service, steps)),
    ...overview.hosts.flatMap(({ host }) =>
      steps[host] === undefined ? [] : [folded(`around the steps on ${plainHtml(host)}`, [fence(steps[host])])],
    ),
    ...ignoredBlocks(overview.hosts),
  ]
  const fitting = fittingBlocks(blocks)
  const left = blocks.length - fitting.length
  if (left > 0) fitting.push(write([text(`${left} more parts do not fit here: the JSON report has all of them.`)]))
  return fitting.join('\n')
}

/** Those that fit together; a long one does not push out a short one after it. */
function fittingBlocks(blocks: readonly string[]): string[] {
  let length = 0
  return blocks.filter((block) => {
    const fits = length + block.length + 1 <= longest
    if (fits) length += block.length + 1
    return fits
  })
}

function eachService<T>(
  hosts: readonly HostOverview[],
  blocks: (host: HostOverview, service: ServiceOverview) => readonly T[],
): readonly T[] {
  return hosts.flatMap((host) => host.services.flatMap((service) => blocks(host, service)))
}

function nextBlocks({ next = [] }: Overview): readonly string[] {
  return next.map((one) => write([paragraph([words('next: '), codeSpan(String(one))])]))
}

function issueBlocks({ issues }: Overview): readonly string[] {
  if (issues.length === 0) return []
  const items = issues.map(({ severity, code, message, at }) => [
    strong(`${at.file}:${at.line}:${at.column}`),
    words(` ${severity} `),
    codeSpan(code),
    words(` ${oneLine(message)}`),
  ])
  return [write([bullets(items)])]
}

/** A service that is as wanted has no row. */
function stateBlocks({ hosts, verb }: Overview): readonly string[] {
  const rows = hosts.flatMap((host) => [
    ...(host.reachable ? [] : [[host.host, '', `${signs.bad} unreachable`, host.problem?.code ?? '']]),
    ...host.services
      .filter((one) => (host.reachable ? lists.has(verb) || isWorthARow(one) : isRefused(one)))
      .map((one) => rowOf(host.host, one)),
  ])
  return rows.length === 0 ? [] : [write(cutTable(['host', 'service', 'state', verb === 'drift' ? 'code' : 'details'], rows))]
}

/** Verbs that list what there is, not what is to do. */
const lists: ReadonlySet<string> = new Set(['facts', 'hosts'])

function isWorthARow({ tone, smoke }: ServiceOverview): boolean {
  return tone !== 'good' || smoke !== undefined
}

/** A refusal is known even where the host is unreachable. */
function isRefused({ findings }: ServiceOverview): boolean {
  return findings.some(({ level }) => level === 'refused')
}

function rowOf(host: string, { service, tone, state, actions, findings, smoke }: ServiceOverview): readonly string[] {
  const downtime = actions.flatMap((action) => (action.downtime === undefined ? [] : [`down ${action.downtime}`]))
  const codes = [...new Set(findings.filter(({ values }) => values === undefined).map(({ code }) => code))]
  const answer = requestIn(smoke?.checks ?? [])
  const took = answer === undefined || answer.skipped !== undefined ? [] : [`answered in ${(answer.ms / 1000).toFixed(1)} s`]
  return [host, nameOf(service), `${signs[tone]} ${stateWords(state)}`, [...codes, ...downtime, ...took].join(', ')]
}

function problemBlocks({ host, problem }: HostOverview): readonly string[] {
  if (problem === undefined) return []
  const { code, summary, why, next } = problem
  return [
    write([
      heading(4, `${host}: ${summary}`),
      paragraph([codeSpan(code), words(` ${why}`)]),
      ...(next.length === 0 ? [] : [bullets(next.map((one) => [words(String(one))]))]),
    ]),
  ]
}

function findingBlocks({ host }: HostOverview, { service, findings }: ServiceOverview): readonly string[] {
  return findings
    .filter(({ level, values }) => level !== 'warning' && values === undefined)
    .map((finding) => write([heading(4, `${levelWord(finding.level)}: ${subject(host, service)}`), ...findingNodes(finding)]))
}

/** All compared values in one table, three beside each other for each field. */
function differenceBlocks(hosts: readonly HostOverview[]): readonly string[] {
  const rows = eachService(hosts, ({ host }, { service, findings }) => {
    const compared = findings.filter(({ level, values }) => values !== undefined && level !== 'ignored')
    return foldFields(
      compared,
      ({ code }) => code,
      ({ level, values }) => JSON.stringify([level, values]),
    ).flatMap(({ one: { level, values }, field }) =>
      values === undefined
        ? []
        : [[levelWord(level), host, nameOf(service), field, shown(values.wanted), shown(values.applied), shown(values.here)]],
    )
  })
  return rows.length === 0
    ? []
    : [write(cutTable(['state', 'host', 'service', 'field', 'inventory', 'last applied', 'on the host'], rows))]
}

function findingNodes({ code, summary, why, evidence, next }: Finding): readonly Block[] {
  const items = [
    ...evidence.map((one) => [words(`evidence: ${oneLine(one)}`)]),
    ...next.map((one) => [words(`next: ${oneLine(String(one))}`)]),
  ]
  return [paragraph([codeSpan(code), words(` ${summary}`)]), text(why), ...(items.length === 0 ? [] : [bullets(items)])]
}

function failureBlocks({ host }: HostOverview, { service, actions, smoke }: ServiceOverview): readonly string[] {
  const failed = actions.flatMap(({ kind, result }) => {
    const problem = result?.problem
    return problem === undefined ? [] : [[codeSpan(kind), words(` ${problem.summary} ${oneLine(problem.why)}`)]]
  })
  const broken = (smoke?.checks ?? [])
    .filter((check) => !check.ok && check.skipped === undefined)
    .map((check) => [codeSpan(check.name), words(` ${oneLine(check.detail)}`)])
  const items = [...failed, ...broken]
  return items.length === 0 ? [] : [write([heading(4, subject(host, service)), bullets(items)])]
}

/** Folded: the reader opens the actions of interest. */
function changeBlocks(
  { host }: HostOverview,
  { service, actions }: ServiceOverview,
  steps: Readonly<Record<string, string>>,
): readonly string[] {
  return actions.flatMap((action) => {
    const { id, kind, reason, changes, diff } = action
    const content = [
      ...(changes.length > 0 || diff !== undefined ? [fencedChange(action)] : []),
      ...(steps[id] === undefined ? [] : [fence(steps[id])]),
    ]
    const title = plainHtml(`${kind} ${subject(host, service)}${reason === '' ? '' : `: ${reason}`}`)
    return content.length === 0 ? [] : [folded(title, content)]
  })
}

/** Folded, and last: a person has decided about it. */
function ignoredBlocks(hosts: readonly HostOverview[]): readonly string[] {
  const items = eachService(hosts, ({ host }, { service, findings }) =>
    findings
      .filter(({ level }) => level === 'ignored')
      .map(({ code, why }) => [words(`${subject(host, service)} `), codeSpan(code), words(` ${oneLine(why)}`)]),
  )
  if (items.length === 0) return []
  return [folded(`${items.length} ${items.length === 1 ? 'finding' : 'findings'} ignored`, cutBullets(items))]
}

function fencedChange({ changes, diff }: ActionOverview): Block {
  return fence([...changes.map((one) => `# ${oneLine(one)}`), ...(diff === undefined ? [] : [diff])].join('\n'), 'diff')
}

function nameOf(service: string): string {
  return service === hostItself ? '' : service
}

function subject(host: string, service: string): string {
  return service === hostItself ? host : `${host} ${service}`
}
