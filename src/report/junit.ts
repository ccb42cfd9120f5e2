import xmlbuilder from 'xmlbuilder'
import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { HostOverview, Overview, ServiceOverview } from '../model/overview.ts'
import type { SmokeCheck } from '../model/report.ts'
import { sentence } from './finding-words.ts'
import { severities } from './severity.ts'

/** How one test case ended; `text` is for people. */
interface Case {
  readonly name: string
  readonly host: string
  readonly ms: number
  readonly ended: 'passed' | 'failure' | 'error' | 'skipped'
  readonly type?: string
  readonly message?: string
  readonly text?: string
  /** Beside the outcome: warnings, and what was done. */
  readonly out?: string
}

/**
 * JUnit's XML, as CI systems read it: a suite for each host, a case for each service and for each check of its proof. Refused, failed and
 * broken are failures; an unreachable host or an invalid inventory is an error; what was not done is skipped. It uses only what every schema
 * of Jenkins' xUnit plugin has (`junit-4.xsd` to `junit-10.xsd`), because the plugin rejects a file with anything else.
 */
export function renderJunit(overview: Overview): string {
  const suites = [
    ...(overview.issues.length === 0 ? [] : [{ name: 'inventory', cases: issueCases(overview) }]),
    ...overview.hosts.map((host) => ({ name: host.host, cases: hostCases(host) })),
  ]
  const root = xmlbuilder.create('testsuites', { encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' })
  const all = suites.flatMap(({ cases }) => cases)
  const { skipped: _skipped, ...known } = counts(all)
  root.att({ name: `converge ${overview.verb}`, ...known })
  for (const [id, { name, cases }] of suites.entries()) {
    const suite = root.ele('testsuite', {
      id,
      name,
      ...defined({ timestamp: overview.at }),
      ...counts(cases),
    })
    for (const one of cases) {
      const element = suite.ele('testcase', { name: one.name, classname: one.host, time: inSeconds(one.ms) })
      if (one.ended === 'skipped') element.ele('skipped', {}, one.message ?? '')
      else if (one.ended !== 'passed')
        element.ele(one.ended, { type: one.type ?? one.ended, message: one.message ?? '' }, one.text ?? '')
      if (one.out !== undefined && one.out !== '') element.ele('system-out', {}, one.out)
    }
  }
  return `${root.end({ pretty: true })}\n`
}

function counts(cases: readonly Case[]) {
  const count = (ended: Case['ended']) => cases.filter((one) => one.ended === ended).length
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: inSeconds(cases.reduce((sum, { ms }) => sum + ms, 0)),
  }
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function issueCases({ issues }: Overview): readonly Case[] {
  return issues.map(({ severity, code, message, at }) => ({
    name: `${at.file}:${at.line}:${at.column}`,
    host: 'inventory',
    ms: 0,
    ...(severity === 'error'
      ? { ended: 'error', type: code, message: firstLine(message), text: message }
      : { ended: 'passed', out: `${code}: ${message}` }),
  }))
}

function hostCases({ host, reachable, problem, services }: HostOverview): readonly Case[] {
  const own: readonly Case[] =
    problem === undefined
      ? []
      : [
          {
            name: reachable ? '(host)' : 'can be reached',
            host,
            ms: 0,
            ended: 'error',
            type: problem.code,
            message: problem.summary,
            text: [problem.why, ...problem.next.map((one) => `next: ${String(one)}`)].join('\n'),
          },
        ]
  return [...own, ...services.flatMap((service) => [serviceCase(host, service), ...smokeCases(host, service)])]
}

function serviceCase(host: string, { service, state, actions, findings }: ServiceOverview): Case {
  const refused = findings.filter(({ level }) => severities[level] === 'error')
  const failed = actions.flatMap(({ result }) =>
    result?.status === 'failed' && result.problem !== undefined ? [result.problem] : [],
  )
  const remarks = findings.filter(({ level }) => severities[level] !== 'error')
  const out = [
    ...actions.map(
      ({ kind, reason, result }) =>
        `${kind}: ${result === undefined ? reason : `${result.status}${reason === '' ? '' : ` (${reason})`}`}`,
    ),
    ...remarks.map((one) => `${one.level} ${sentence(one)}`),
  ].join('\n')
  const base = {
    name: service === hostItself ? '(host)' : service,
    host,
    ms: actions.reduce((sum, { result }) => sum + (result?.ms ?? 0), 0),
    out,
  }
  const bad = [
    ...failed.map(({ code, summary, why, next }) => ({ code, summary, next, words: `${code}: ${why}` })),
    ...refused.map((one) => ({ code: one.code, summary: one.summary, next: one.next, words: sentence(one) })),
  ]
  const [first] = bad
  if (first !== undefined)
    return {
      ...base,
      ended: 'failure',
      type: first.code,
      message: first.summary,
      text: bad.map(({ words, next }) => [words, ...next.map((one) => `next: ${String(one)}`)].join('\n')).join('\n\n'),
    }
  if (state === 'not run' || state === 'waits') return { ...base, ended: 'skipped', message: state }
  return { ...base, ended: 'passed' }
}

function smokeCases(host: string, { service, smoke }: ServiceOverview): readonly Case[] {
  return (smoke?.checks ?? []).map((check) => ({ name: `${service}: ${check.name}`, host, ms: check.ms, ...outcome(check) }))
}

function outcome({ ok, skipped, detail, name }: SmokeCheck): Pick<Case, 'ended' | 'type' | 'message' | 'text'> {
  if (skipped !== undefined) return { ended: 'skipped', message: skipped }
  return ok ? { ended: 'passed' } : { ended: 'failure', type: `smoke.${name}`, message: firstLine(detail), text: detail }
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
