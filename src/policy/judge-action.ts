import { defined } from '../lib/defined.ts'
import type { Action } from '../model/action.ts'
import type { Refusal } from '../model/refusal.ts'
import type { HostState } from '../simulate/host-state.ts'
import { launchOf, needOf, type ServiceCase } from '../simulate/service-case.ts'
import { simulate } from '../simulate/simulate.ts'
import { withoutEnded } from '../simulate/unsupervised.ts'
import { type Approvals, withApproval } from './approvals.ts'
import { rules } from './index.ts'
import { refusalOf } from './refusal-of.ts'
import type { ActionContext } from './rule.ts'

/** The findings of all rules about one action, if it were done now. */
export interface Judgement {
  readonly after: HostState
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

/** A search for an order asks them thousands of times. */
const actionRules = rules.filter((rule) => rule.checkAction !== undefined)

/** Asks every rule that checks actions. Refusals of the service itself (`violations`) apply to actions that write or start. */
export function judgeAction(
  action: Action,
  subject: ServiceCase,
  before: HostState,
  policy: { readonly approvals: Approvals; readonly violations: readonly Refusal[]; readonly maxDowntimeS?: number | undefined },
): Judgement {
  const after = simulate(before, action, subject)
  const judged: Action = action.momentary === true ? { ...action, kind: 'start', starts: true } : action
  if (!subject.state.known) return { after, refusals: violationsAgainst(judged, policy.violations), warnings: [] }
  const { state, ...rest } = subject
  const context: ActionContext = {
    ...rest,
    subject,
    action: judged,
    before: withoutEnded(before, action.ends, subject.service.port),
    after: judged === action ? after : simulate(before, judged, subject),
    state: state.value,
    need: needOf(subject),
    launch: launchOf(subject),
    ...defined({ maxDowntimeS: policy.maxDowntimeS }),
  }
  const found = actionRules.flatMap((rule) => {
    const findings = rule.checkAction?.(context) ?? []
    return findings.map((finding) => ({ rule, refusal: refusalOf(rule, finding, aboutOf(action)) }))
  })
  const against = found.filter(({ rule }) => rule.severity === 'refuse').map(({ refusal }) => refusal)
  return {
    after,
    refusals: [
      ...violationsAgainst(judged, policy.violations),
      ...against.map((one) => withApproval(one, action.host, policy.approvals)),
    ],
    warnings: found.filter(({ rule }) => rule.severity === 'warn').map(({ refusal }) => refusal),
  }
}

/** Refusals that no approval overruled. */
export function unapproved(refusals: readonly Refusal[]): readonly Refusal[] {
  return refusals.filter((refusal) => refusal.consent === undefined)
}

const writesNothing: ReadonlySet<Action['kind']> = new Set(['stop', 'remove', 'adopt', 'release'])

function violationsAgainst(action: Action, violations: readonly Refusal[]): readonly Refusal[] {
  if (writesNothing.has(action.kind)) return []
  return violations.map((refusal) => ({ ...refusal, actions: [action.id] }))
}

function aboutOf(action: Action) {
  return { host: action.host, service: action.service, actions: [action.id] }
}
