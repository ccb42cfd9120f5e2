import { assertNever } from '../errors/assert-never.ts'
import { shownLine } from '../lib/visible-text.ts'
import type {
  DriftClass,
  DriftDocument,
  DriftFinding,
  DriftSummary,
  HostDrift,
  IgnoredFinding,
  NotCompared,
  StaleIgnore,
  TwoWay,
} from '../model/drift.ts'
import { renderDriftRecap } from './drift-recap.ts'
import { hostBlocks } from './host-blocks.ts'
import { indent } from './indent.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { nextLines, renderUnreachable, unreachableLine } from './problem-text.ts'
import { restsOn } from './rests-on.ts'
import { whyText } from './why-text.ts'

const styles: Readonly<Record<DriftClass, PaintStyle>> = { drift: 'red', pending: 'yellow', both: 'red', foreign: 'magenta' }

/** The comparison as people read it, from the same document that `--json` prints. */
export function renderDrift(document: DriftDocument, paint: Paint): string {
  const { hosts, summary, stale_ignores: stale } = document
  const { blocks, finish } = hostBlocks(hosts.filter(hasFindings), (host) => renderHost(host, paint), paint)
  const parts = [
    ...blocks,
    stale.map((one) => renderStale(one, paint)).join('\n'),
    renderDriftRecap(hosts, paint),
    renderDriftSummary(summary, paint),
  ].filter((part) => part !== '')
  const rest = document.facts_from === undefined ? '' : `\n${paint(['yellow'], restsOn(document.facts_from))}`
  return finish(`${parts.join('\n\n')}${rest}\n`)
}

/** One line: the findings by their class. */
export function renderDriftSummary(summary: DriftSummary, paint: Paint): string {
  const { drift, pending, both, foreign, ignored, not_compared, unreachable, hosts } = summary
  const parts = [
    counted(drift, 'changed on a host', paint(['red'], `${drift} changed on a host`)),
    counted(pending, 'pending', paint(['yellow'], `${pending} pending`)),
    ...(both === 0 ? [] : [paint(['red'], `${both} changed on both sides`)]),
    counted(foreign, 'foreign', paint(['magenta'], `${foreign} foreign`)),
    ...(ignored === 0 ? [] : [`${ignored} ignored`]),
    ...(not_compared === 0 ? [] : [paint(['yellow'], `${not_compared} not compared`)]),
    ...(unreachable === 0 ? [] : [paint(['bold', 'red'], `${unreachable} unreachable`)]),
  ]
  const of = paint.whole(`(${hosts} ${hosts === 1 ? 'host' : 'hosts'}).`)
  return `Drift: ${paint.hang}${parts.join(', ')} ${of}`
}

function counted(count: number, words: string, painted: string): string {
  return count === 0 ? `0 ${words}` : painted
}

function renderHost(host: HostDrift, paint: Paint): string {
  if (!host.compared) {
    return host.problem === undefined ? unreachableLine(host.host, paint) : renderUnreachable(host.host, host.problem, paint)
  }
  const parts = [
    ...host.findings.map((finding) => renderFinding(finding, paint)),
    ...(host.ignored.length === 0 ? [] : [renderIgnored(host.ignored, paint)]),
    ...host.not_compared.map((one) => renderNotCompared(one, paint)),
    ...host.two_way.filter((one) => !isNoted(one, host)).map((one) => renderTwoWay(one, paint)),
  ]
  return [paint(['bold'], host.host), ...parts.map((part) => indent(part))].join('\n')
}

/** `drift    coder  definition.command.--ctx-size  here 2048, wanted and last applied 4096`. */
function renderFinding(finding: DriftFinding, paint: Paint): string {
  const head = `${paint([styles[finding.class]], finding.class.padEnd(7))}  ${paint.hang}${paint(['bold'], shownLine(finding.service))}  ${shownLine(finding.field)}`
  const note = finding.note === undefined ? '' : `\n         ${paint(['dim'], `(${shownLine(finding.note)})`)}`
  return `${head}  ${valuesOf(finding, paint)}${note}`
}

function valuesOf(finding: DriftFinding, paint: Paint): string {
  const [desired, recorded, actual] = [finding.desired, finding.recorded, finding.actual].map((value) => shown(value, paint))
  switch (finding.class) {
    case 'foreign':
      return `${actual}`
    case 'both':
      return `here ${actual}, last applied ${recorded}, wanted ${desired}`
    case 'pending':
      return finding.recorded === finding.actual
        ? `here and last applied ${actual}, wanted ${desired}`
        : `here ${actual}, wanted ${desired}`
    case 'drift':
      return finding.recorded === finding.desired
        ? `here ${actual}, last applied and wanted ${desired}`
        : `here ${actual}, wanted ${desired}`
    default:
      return assertNever(finding.class)
  }
}

function shown(value: string | null, paint: Paint): string {
  return value === null ? paint(['dim'], '(none)') : shownLine(value)
}

function renderNotCompared({ service, code, why, next }: NotCompared, paint: Paint): string {
  return [
    `${paint(['yellow'], 'not compared')}  ${paint(['bold'], shownLine(service))}  ${paint(['yellow'], code)}`,
    indent(whyText(why), 9),
    ...nextLines(next, paint).map((step) => indent(step, 9)),
  ].join('\n')
}

function renderIgnored(ignored: readonly IgnoredFinding[], paint: Paint): string {
  const names = [...new Set(ignored.map(({ service, field, reason }) => `${service} ${field} (${reason})`))].map(shownLine)
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
