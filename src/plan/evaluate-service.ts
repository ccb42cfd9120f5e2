import { holdsServer } from '../managers/holds-server.ts'
import type { Refusal } from '../model/refusal.ts'
import { type Approvals, withApproval } from '../policy/approvals.ts'
import { rules } from '../policy/index.ts'
import { refusalOf } from '../policy/refusal-of.ts'
import type { Finding, Rule } from '../policy/rule.ts'
import { factUnknownRule } from '../policy/rules/fact-unknown.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { diffService } from './diff-service.ts'
import { proposeRelease } from './propose-release.ts'
import { proposeStopAlone } from './propose-stopped.ts'
import { onlyUpgrades } from './propose-upgrade.ts'

/** One service before the simulation: the proposed actions, and the findings that do not depend on other actions of the host. */
export interface ServiceEvaluation {
  readonly subject: ServiceCase
  readonly proposal: Proposal
  /** Refuses everything that the proposal would write or start; approvals may overrule some of it. */
  readonly violations: readonly Refusal[]
  /** What could not be decided. It does not hold back the rest. */
  readonly undecided: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  /** Why the service was not compared, or not completely. */
  readonly uncompared: readonly Refusal[]
}

/** Judges the service as the inventory has it, and whether it can be planned on this host; then compares it with the host. */
export function evaluateService(subject: ServiceCase, approvals: Approvals): ServiceEvaluation {
  if (subject.upgrade !== undefined && subject.service.state !== 'running')
    return { subject, proposal: onlyUpgrades(subject, { actions: [], findings: [] }), ...nothingFound }
  if (subject.service.state === 'unmanaged') return { subject, proposal: proposeRelease(subject), ...nothingFound }
  if (subject.asked?.operation.verb === 'stop') return evaluateStop(subject, approvals)
  const unseen = findingsOf((rule) => inventoryFindings(rule, subject))
  const gate = findingsOf((rule) => rule.checkService?.(subject) ?? [])
  const against = [...unseen, ...gate].filter(({ rule }) => rule.severity === 'refuse')
  const bars = gate.filter(({ rule, finding }) => rule.severity === 'refuse' && finding.comparable !== true)
  const compared = proposalBehind(bars, subject)
  const undecided = compared.findings.map((finding) => toRefusal(subject, { rule: factUnknownRule, finding }))
  const violations = against.map((one) => withApproval(toRefusal(subject, one), subject.host.name, approvals))
  return {
    subject,
    proposal: onlyUpgrades(subject, withStart(subject, compared)),
    violations: compared.actions.length === 0 ? [...violations, ...undecided] : violations,
    undecided,
    warnings: [...unseen, ...gate].filter(({ rule }) => rule.severity === 'warn').map((one) => toRefusal(subject, one)),
    uncompared: [...bars.map((one) => toRefusal(subject, one)), ...undecided],
  }
}

/** A stop needs neither a valid definition nor a key: only what prevents it counts. */
function evaluateStop(subject: ServiceCase, approvals: Approvals): ServiceEvaluation {
  const bars = findingsOf((rule) => rule.checkService?.(subject) ?? []).filter(
    ({ rule, finding }) => rule.severity === 'refuse' && finding.comparable !== true && finding.mayStillStop !== true,
  )
  const proposal = bars.length === 0 ? diffService(subject) : { actions: [], findings: [] }
  const undecided = proposal.findings.map((finding) => toRefusal(subject, { rule: factUnknownRule, finding }))
  const violations = bars.map((one) => withApproval(toRefusal(subject, one), subject.host.name, approvals))
  return { ...nothingFound, subject, proposal, violations: [...violations, ...undecided], undecided, uncompared: undecided }
}

/** Rules do not judge what converge leaves alone. */
const nothingFound = { violations: [], undecided: [], warnings: [], uncompared: [] }

function proposalBehind(bars: readonly RuleFinding[], subject: ServiceCase): Proposal {
  if (bars.length === 0) return diffService(subject)
  return bars.every(({ finding }) => finding.mayStillStop === true) ? proposeStopAlone(subject) : { actions: [], findings: [] }
}

interface RuleFinding {
  readonly rule: Rule
  readonly finding: Finding
}

function findingsOf(ask: (rule: Rule) => readonly Finding[]): readonly RuleFinding[] {
  return rules.flatMap((rule) => ask(rule).map((finding) => ({ rule, finding })))
}

/** From rules that do not see the host. */
function inventoryFindings(rule: Rule, subject: ServiceCase): readonly Finding[] {
  if (subject.service.state === 'absent' || rule.checkService !== undefined || rule.checkAction !== undefined) return []
  return rule.checkInventory?.(subject) ?? []
}

/** If a violation prevents the comparison, the start is still proposed, so that no other server makes room for it in vain. */
function withStart(subject: ServiceCase, proposal: Proposal): Proposal {
  const { state, service } = subject
  if (proposal.actions.length > 0 || service.state !== 'running' || !state.known || holdsServer(state.value)) return proposal
  const start = newAction(subject, { kind: 'start', reason: 'Not running.', starts: true })
  return { ...proposal, actions: [start] }
}

function toRefusal({ host, service }: ServiceCase, { rule, finding }: RuleFinding): Refusal {
  return refusalOf(rule, finding, { host: host.name, service: service.name, actions: [] })
}
