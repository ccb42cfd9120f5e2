import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Refusal } from '../model/refusal.ts'
import type { SourceRef } from '../model/source.ts'
import { rules } from './index.ts'
import type { Evidence, Finding, Rule } from './rule.ts'

const byCode: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.code, rule]))

/** The rule behind a code; undefined for an error code or a misspelt one. */
export function ruleOf(code: string): Rule | undefined {
  return byCode.get(code)
}

/** A finding of a rule, as the refusal or warning that people read. */
export function refusalOf(
  rule: Rule,
  finding: Finding,
  about: { readonly host: string; readonly service?: string; readonly actions: readonly string[] },
): Refusal {
  const reported = (finding.code === undefined ? undefined : ruleOf(finding.code)) ?? rule
  const service = finding.service ?? (finding.wholeHost === true ? undefined : about.service)
  const consentable = reported.consentable && finding.consentable !== false
  const at = causeOf(finding.evidence, service)
  const overrule = consentable && service !== undefined ? [approvalCommand(reported.code, service, about.host)] : []
  return {
    code: reported.code,
    ...defined({ service }),
    actions: about.actions,
    summary: finding.summary ?? reported.title,
    why: finding.why,
    evidence: finding.evidence.map(evidenceWords),
    ...defined({ at }),
    next: [...finding.next, ...overrule],
    consentable,
  }
}

function evidenceWords(one: Evidence): string {
  return typeof one === 'string' ? one : `${one.at.file}:${one.at.line}:${one.at.column}: ${one.text}`
}

/** The first key of that service, or else the first key of all. Keys that are written go before missing ones. */
function causeOf(evidence: readonly Evidence[], service: string | undefined): SourceRef | undefined {
  const keys = evidence.filter((one) => typeof one !== 'string')
  const own = keys.filter((one) => one.service === service)
  const [first] = (own.length > 0 ? own : keys).toSorted((a, b) => Number(b.written) - Number(a.written))
  return first?.at
}

function approvalCommand(code: string, service: string, host: string): NextStep {
  return converge(['apply', '--limit', host, '--allow', `${code}@${service}@${host}`], {
    say: 'To overrule it:',
    fillIn: '--reason "why"',
  })
}

/** Each refusal once, with all the actions it holds back. */
export function mergeRefusals(refusals: readonly Refusal[]): readonly Refusal[] {
  const merged = new Map<string, Refusal>()
  for (const refusal of refusals) {
    const id = JSON.stringify([refusal.code, refusal.service, refusal.summary, refusal.why])
    const earlier = merged.get(id)
    const actions = [...new Set([...(earlier?.actions ?? []), ...refusal.actions])]
    const evidence = [...new Set([...(earlier?.evidence ?? []), ...refusal.evidence])]
    merged.set(id, { ...refusal, actions, evidence })
  }
  return [...merged.values()]
}
