import type { List, Paragraph, PhrasingContent, RootContent, Table } from 'mdast'
import { gfmAutolinkLiteralToMarkdown } from 'mdast-util-gfm-autolink-literal'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { hostItself } from '../model/action.ts'
import type { ActionOverview, Finding, HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'
import { shown } from './finding-words.ts'

/** Characters: GitHub takes 65,536 in a comment, and most chats less than a step summary may have. */
const longest = 60_000

/** Rows of a table that somebody still reads, how long they may be together, and one value in them. */
const mostRows = 200
const longestTable = 20_000
const longestCell = 200

const signs: Readonly<Record<Tone, string>> = { good: '✅', pending: '🔶', doubt: '⚠️', bad: '❌' }

/**
 * GitHub-flavoured Markdown, for a step summary, a comment or a chat: one table of what is not as wanted, then why something was refused
 * or failed, then what changes. At most 60,000 characters; what does not fit is counted.
 */
export function renderMarkdown(overview: Overview): string {
  const blocks = [
    write([heading(2, `${signs[overview.tone]} converge ${overview.verb}: ${overview.headline}`)]),
    ...nextBlocks(overview),
    ...issueBlocks(overview),
    ...stateBlocks(overview.hosts),
    ...overview.hosts.flatMap(problemBlocks),
    ...differenceBlocks(overview.hosts),
    ...eachService(overview.hosts, findingBlocks),
    ...eachService(overview.hosts, failureBlocks),
    ...eachService(overview.hosts, changeBlocks),
    ...ignoredBlocks(overview.hosts),
  ]
  const fitting = fittingBlocks(blocks)
  const left = blocks.length - fitting.length
  if (left > 0) fitting.push(write([text(`${left} more parts do not fit here: the JSON report has all of them.`)]))
  return fitting.join('\n')
}

/** Those that are short enough together; one that is not keeps none behind it away. */
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

/** Who is as wanted needs no row. */
function stateBlocks(hosts: readonly HostOverview[]): readonly string[] {
  const rows = hosts.flatMap((host) => [
    ...(host.reachable ? [] : [[signs.bad, host.host, '', 'could not be reached', host.problem?.code ?? '']]),
    ...host.services.filter((one) => (host.reachable ? isWorthARow(one) : isRefused(one))).map((one) => rowOf(host.host, one)),
  ])
  return rows.length === 0 ? [] : [write(cutTable(['', 'host', 'service', 'state', ''], rows))]
}

function isWorthARow({ tone, smoke }: ServiceOverview): boolean {
  return tone !== 'good' || smoke !== undefined
}

/** Which is known of a service whatever its host is like. */
function isRefused({ findings }: ServiceOverview): boolean {
  return findings.some(({ level }) => level === 'refused')
}

function rowOf(host: string, { service, tone, state, actions, findings, smoke }: ServiceOverview): readonly string[] {
  const downtime = actions.flatMap((action) => (action.downtime === undefined ? [] : [`down ${action.downtime}`]))
  const codes = [...new Set(findings.filter(({ values }) => values === undefined).map(({ code }) => code))]
  const answer = smoke?.checks.find(({ name, skipped }) => name === 'completion' && skipped === undefined)
  const took = answer === undefined ? [] : [`answered in ${(answer.ms / 1000).toFixed(1)} s`]
  return [signs[tone], host, service === hostItself ? '' : service, state, [...codes, ...downtime, ...took].join(', ')]
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
    .map((finding) => write([heading(4, `${finding.level}: ${subject(host, service)}`), ...findingNodes(finding)]))
}

/** What was compared, in one table: three values of a field belong side by side. */
function differenceBlocks(hosts: readonly HostOverview[]): readonly string[] {
  const rows = eachService(hosts, ({ host }, { service, findings }) =>
    findings.flatMap(({ level, code, values }) =>
      values === undefined || level === 'ignored'
        ? []
        : [[level, subject(host, service), code, shown(values.wanted), shown(values.applied), shown(values.here)]],
    ),
  )
  return rows.length === 0 ? [] : [write(cutTable(['', '', 'field', 'wanted', 'last applied', 'here'], rows))]
}

function findingNodes({ code, summary, why, evidence, next }: Finding): readonly RootContent[] {
  const items = [
    ...evidence.map((one) => [words(`seen: ${oneLine(one)}`)]),
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

/** Folded away: a reader opens what he wants to see. */
function changeBlocks({ host }: HostOverview, { service, actions }: ServiceOverview): readonly string[] {
  return actions
    .filter(({ changes, diff }) => changes.length > 0 || diff !== undefined)
    .map((action) => {
      const title = plainHtml(`${action.kind} ${subject(host, service)}${action.reason === '' ? '' : `: ${action.reason}`}`)
      return `<details><summary>${title}</summary>\n\n${write([fenced(action)])}\n</details>\n`
    })
}

/** Folded away, and last: somebody has looked at it. */
function ignoredBlocks(hosts: readonly HostOverview[]): readonly string[] {
  const items = eachService(hosts, ({ host }, { service, findings }) =>
    findings
      .filter(({ level }) => level === 'ignored')
      .map(({ code, why }) => [words(`${subject(host, service)} `), codeSpan(code), words(` ${oneLine(why)}`)]),
  )
  if (items.length === 0) return []
  const shownItems = items.slice(0, mostRows)
  const more = items.length - shownItems.length
  const listed = write([bullets(shownItems), ...(more === 0 ? [] : [text(`… and ${more} more.`)])])
  return [`<details><summary>${items.length} set aside by drift_ignore</summary>\n\n${listed}\n</details>\n`]
}

function fenced({ changes, diff }: ActionOverview): RootContent {
  return {
    type: 'code',
    lang: 'diff',
    value: [...changes.map((one) => `# ${oneLine(one)}`), ...(diff === undefined ? [] : [diff])].join('\n'),
  }
}

function subject(host: string, service: string): string {
  return service === hostItself ? host : `${host} ${service}`
}

/** Addresses stay text: they come from inventories and hosts, and a reader should not be one click away from them. */
function write(children: readonly RootContent[]): string {
  return toMarkdown(
    { type: 'root', children: [...children] },
    { extensions: [gfmTableToMarkdown({ tablePipeAlign: false }), gfmAutolinkLiteralToMarkdown()], bullet: '-' },
  )
}

function words(value: string): PhrasingContent {
  return { type: 'text', value }
}

function codeSpan(value: string): PhrasingContent {
  return { type: 'inlineCode', value }
}

function strong(value: string): PhrasingContent {
  return { type: 'strong', children: [words(value)] }
}

function text(value: string): Paragraph {
  return paragraph([words(value)])
}

function paragraph(children: readonly PhrasingContent[]): Paragraph {
  return { type: 'paragraph', children: [...children] }
}

function heading(depth: 2 | 4, value: string): RootContent {
  return { type: 'heading', depth, children: [words(oneLine(value))] }
}

function bullets(items: readonly (readonly PhrasingContent[])[]): List {
  return {
    type: 'list',
    ordered: false,
    spread: false,
    children: items.map((item) => ({ type: 'listItem', spread: false, children: [paragraph(item)] })),
  }
}

/** As many rows as fit, each value as far as it fits, and how many more there are. */
function cutTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly RootContent[] {
  const cut = rows.slice(0, mostRows).map((cells) => cells.map(cutCell))
  let length = 0
  const fitting = cut.filter((cells) => {
    length += cells.reduce((sum, cell) => sum + cell.length + 3, 1)
    return length <= longestTable
  })
  const more = rows.length - fitting.length
  return [table(head, fitting), ...(more === 0 ? [] : [text(`… and ${more} more.`)])]
}

function cutCell(cell: string): string {
  return cell.length <= longestCell ? cell : `${cell.slice(0, longestCell).toWellFormed()}… (${cell.length} characters)`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): Table {
  return {
    type: 'table',
    children: [head, ...rows].map((cells) => ({
      type: 'tableRow',
      children: cells.map((cell) => ({ type: 'tableCell', children: [words(oneLine(cell))] })),
    })),
  }
}

function oneLine(value: string): string {
  return value.replace(/\s*\n\s*/g, ' ')
}

/** Between tags: what would be one, or an entity, is text. */
function plainHtml(value: string): string {
  return oneLine(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
