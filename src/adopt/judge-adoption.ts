import { nameIn } from '../managers/one-by-setting.ts'
import type { Action } from '../model/action.ts'
import type { AdoptReason, FoundServer } from '../model/adopt-document.ts'
import type { HostPlan } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import { type TakeoverReason, takeoverReasons } from '../policy/takeover-words.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { takeoverOf } from '../simulate/takeover-of.ts'

export type Verdict = Pick<FoundServer, 'adoptable' | 'reasons' | 'waits'>

/** Whether a service that describes a running server would be adopted as it is, by the plan of its host. */
export function judgeAdoption(subject: ServiceCase, plan: HostPlan): Verdict {
  const { name } = subject.service
  const takeover = takeoverOf(subject)
  const actions = [...plan.actions, ...(plan.held_back ?? [])].filter((one) => one.service === name)
  const changes = actions.filter(({ kind }) => kind !== 'noop')
  const refusals = plan.refusals.filter(({ service }) => service === name)
  const isExact = refusals.length === 0 && actions.length > 0 && changes.every(({ kind }) => kind === 'adopt')
  const waits =
    takeover?.known === true ? takeover.value.waits.map((one) => ({ field: nameIn(one), from: one.from, to: one.to })) : []
  if (isExact) return { adoptable: 'adopt', reasons: [], waits }
  if (needsRestart(changes, refusals)) return { adoptable: 'restart', reasons: refusals.map(reasonOf), waits: [] }
  const reasons = takeover?.known === true ? takeoverReasons(takeover.value).map(withNext) : []
  const others = refusals.filter(({ code }) => reasons.length === 0 || code !== 'DEFINITION.FOREIGN')
  return {
    adoptable: 'no',
    reasons: [...reasons, ...others.map(reasonOf)],
    waits,
  }
}

/** All that is refused is the restart of a server that no supervisor runs. */
function needsRestart(changes: readonly Action[], refusals: readonly Refusal[]): boolean {
  const ids = new Set(changes.filter(({ ends }) => ends !== undefined).map(({ id }) => id))
  return ids.size > 0 && refusals.every(({ consentable, actions }) => consentable && actions.every((id) => ids.has(id)))
}

function reasonOf({ code, why, next }: Refusal): AdoptReason {
  return { code, why, next }
}

/** What to do about each reason. */
const nextSteps: Readonly<Record<TakeoverReason['code'], string>> = {
  'ADOPT.DIFFERS': 'Restart it yourself with the setting that you want, then adopt it.',
  'ADOPT.STALE_FILE': 'The next start would change it: correct the definition, or restart the server, then adopt it.',
  'ADOPT.INEXPRESSIBLE': 'Remove it, or move it where converge leaves it alone, such as a drop-in of a unit.',
}

/** By the field that differs; all others as their code says. */
const fieldSteps: Readonly<Record<string, string>> = {
  'running.key': 'Let --key-file store the key that it has.',
  starts_at_boot:
    'Let it start at boot, with systemctl enable, launchctl enable or docker update --restart: none of them restarts it.',
}

function withNext({ code, change, why }: TakeoverReason): AdoptReason {
  return { code, why, next: [fieldSteps[change.field] ?? nextSteps[code]] }
}
