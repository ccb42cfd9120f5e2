import { comparedWords } from '../drift/compared-words.ts'
import { shownLine } from '../lib/visible-text.ts'
import type {
  DriftClass,
  DriftDocument,
  DriftFinding,
  HostDrift,
  IgnoredFinding,
  NotCompared,
  StaleIgnore,
  TwoWay,
} from '../model/drift.ts'
import { renderDriftRecap } from './drift-recap.ts'
import { foldedFindings, levelWord, linesInAll } from './drift-words.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { nextLines, renderUnreachable, unreachableLine } from './problem-text.ts'
import { restsOn } from './rests-on.ts'
import { whyText } from './why-text.ts'

const styles: Readonly<Record<DriftClass, PaintStyle>> = { drift: 'red', pending: 'yellow', both: 'red', foreign: 'magenta' }

/** The comparison as people read it, from the same document that `--json` prints. */
export function renderDrift(document: DriftDocument, paint: Paint): string {
  const { hosts, stale_ignores: stale } = document
  const { blocks, finish } = hostBlocks(hosts.filter(hasFindings), (host) => renderHost(host, paint), paint)
  const parts = [
    ...blocks,
    stale.map((one) => renderStale(one, paint)).join('\n'),
    renderDriftRecap(hosts, paint),
    renderDriftSummary(document, paint),
  ].filter((part) => part !== '')
  const rest = document.facts_from === undefined ? '' : `\n${paint(['yellow'], restsOn(document.facts_from))}`
  return finish(`${parts.join('\n\n')}${rest}\n`)
}

/** One line: the findings by class. */
export function renderDriftSummary({ hosts, summary }: Pick<DriftDocument, 'hosts' | 'summary'>, paint: Paint): string {
  const { drift, pending, both, foreign, ignored, not_compared } = linesInAll({ hosts })
  // Shards that are missing count with all their hosts.
  const { unreachable } = summary
  const parts = [
    counted(drift, 'drifted', 'red', paint),
    counted(pending, 'pending', 'yellow', paint),
    ...(both === 0 ? [] : [counted(both, both === 1 ? 'conflict' : 'conflicts', 'red', paint)]),
    counted(foreign, 'foreign', 'magenta', paint),
    ...(ignored === 0 ? [] : [`${ignored} ignored`]),
    ...(not_compared === 0 ? [] : [counted(not_compared, 'not compared', 'yellow', paint)]),
    ...(unreachable === 0 ? [] : [paint(['bold', 'red'], `${unreachable} ${unreachable === 1 ? 'host' : 'hosts'} unreachable`)]),
  ]
  const of = paint.whole(`(${summary.hosts} ${summary.hosts === 1 ? 'host' : 'hosts'}).`)
  return `Drift: ${paint.hang}${parts.join(', ')} ${of}`
}

function counted(count: number, words: string, style: PaintStyle, paint: Paint): string {
  return count === 0 ? `0 ${words}` : paint([style], `${count} ${words}`)
}

function renderHost(host: HostDrift, paint: Paint): string {
  if (!host.compared) {
    return host.problem === undefined ? unreachableLine(host.host, paint) : renderUnreachable(host.host, host.problem, paint)
  }
  const parts = [
    ...foldedFindings(host).map((one) => renderFinding(one, paint)),
    ...(host.ignored.length === 0 ? [] : [renderIgnored(host.ignored, paint)]),
    ...host.not_compared.map((one) => renderNotCompared(one, paint)),
    ...host.two_way.filter((one) => !isNoted(one, host)).map((one) => renderTwoWay(one, paint)),
  ]
  return [paint(['bold'], host.host), ...parts.map((part) => indent(part))].join('\n')
}

/** `drift     coder  definition.command.--ctx-size  host: 2048, inventory: 4096 (as last applied)`. */
function renderFinding(finding: DriftFinding, paint: Paint): string {
  const head = `${paint([styles[finding.class]], levelWord(finding.class).padEnd(8))}  ${paint.hang}${paint(['bold'], shownLine(finding.service))}  ${shownLine(finding.field)}`
  const note = finding.note === undefined ? '' : `\n          ${paint(['dim'], `(${shownLine(finding.note)})`)}`
  return `${head}  ${comparedWords(finding, (value) => shown(value, paint))}${note}`
}

function shown(value: string | null, paint: Paint): string {
  return value === null ? paint(['dim'], '(none)') : shownLine(value)
}

function renderNotCompared({ service, code, why, next }: NotCompared, paint: Paint): string {
  return [
    `${paint(['yellow'], 'not compared')}  ${paint(['bold'], shownLine(service))}  ${paint(['yellow'], code)}`,
    indent(whyText(why), 10),
    ...nextLines(next, paint).map((step) => indent(step, 10)),
  ].join('\n')
}

function renderIgnored(ignored: readonly IgnoredFinding[], paint: Paint): string {
  const names = [...new Set(ignored.map(({ service, field, reason }) => `${service} ${field} (reason: ${reason})`))].map(
    shownLine,
  )
  return paint(['dim'], `ignored  ${paint.hang}${names.join(', ')}`)
}

/** `hosts.yaml:12  this entry of drift_ignore has expired (2026-10-01T00:00:00Z): nas/coder state  anna: tried out`. */
function renderStale({ state, host, service, field, reason, owner, until, file, line }: StaleIgnore, paint: Paint): string {
  const words = state === 'expired' ? `has expired (${until})` : 'suppresses nothing'
  const about = shownLine(`${host === undefined ? '' : `${host}/`}${service} ${field}`)
  return `${paint(['yellow'], `${file}:${line}`)}  this entry of drift_ignore ${words}: ${about}  ${paint(['dim'], shownLine(`${owner}: ${reason}`))}`
}

/** A note of its findings says it. */
function isNoted({ service }: TwoWay, { findings }: HostDrift): boolean {
  return findings.some((one) => one.service === service && one.note !== undefined)
}

function renderTwoWay({ service, why }: TwoWay, paint: Paint): string {
  return paint(['dim'], `${shownLine(service)} was compared only with the inventory: ${shownLine(why)}.`)
}

/** False: the recap says enough about the host. */
function hasFindings({ compared, findings, ignored, not_compared, two_way }: HostDrift): boolean {
  return !compared || findings.length + ignored.length + not_compared.length + two_way.length > 0
}
