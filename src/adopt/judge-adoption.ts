import { nameIn } from '../managers/one-by-setting.ts'
import type { Takeover } from '../managers/takeover.ts'
import type { Action, FieldChange } from '../model/action.ts'
import type { AdoptReason, FoundServer } from '../model/adopt-document.ts'
import type { Observed } from '../model/observed.ts'
import type { HostPlan } from '../model/plan.ts'
import type { Refusal } from '../model/refusal.ts'
import { type TakeoverReason, takeoverReasons } from '../policy/takeover-words.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { takeoverOf } from '../simulate/takeover-of.ts'

export type Verdict = Pick<FoundServer, 'adoptable' | 'reasons' | 'waits'>

/** What describes a server whose definition was edited after its start: the server, or the definition. */
export type Source = 'running' | 'file'

/**
 * Whether a service that describes a running server would be adopted as it is, by the plan of its host.
 *
 * @param source what it describes, if its definition is known to be another; undefined: no one has chosen yet
 */
export function judgeAdoption(subject: ServiceCase, plan: HostPlan, source?: Source): Verdict {
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
  const found = takeover?.known === true ? takeoverReasons(takeover.value) : []
  if (isChosen(takeover, source) && refusals.every(({ consentable }) => consentable))
    return {
      adoptable: 'restart',
      reasons: found.map(({ why }, index) => editedReason(why, index === found.length - 1)),
      waits: [],
    }
  const reasons = found.map(withNext)
  const others = refusals.filter(({ code }) => reasons.length === 0 || code !== 'DEFINITION.FOREIGN')
  return {
    adoptable: 'no',
    reasons: [...reasons, ...others.map(reasonOf)],
    waits,
  }
}

/** A service describes the server, and only the definition is another; or the definition, and only the server has other settings. */
function isChosen(takeover: Observed<Takeover> | undefined, source: Source | undefined): boolean {
  if (takeover?.known !== true || source === undefined) return false
  const { differs, stale, lost } = takeover.value
  if (lost.length > 0 || differs.length + stale.length === 0) return false
  return source === 'running' ? differs.length === 0 : differs.every(isSetting) && stale.every(isUnread)
}

function isSetting(change: FieldChange): boolean {
  return /^(command|environment)\./.test(nameIn(change))
}

/** The supervisor has only not read the definition yet. */
function isUnread({ field }: FieldChange): boolean {
  return field === 'definition.loaded'
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
  'ADOPT.STALE_FILE':
    'The next start would change it: correct the definition, or restart the server, then adopt it. Or choose what its service describes: `--from running` or `--from file`.',
  'ADOPT.INEXPRESSIBLE': 'Remove it, or move it where converge leaves it alone, such as a drop-in of a unit.',
}

/** By the field that differs; all others as their code says. */
const fieldSteps: Readonly<Record<string, string>> = {
  'running.key': 'Let --key-file store the key that it has.',
  starts_at_boot:
    'Let it start at boot, with systemctl enable, launchctl enable or docker update --restart: none of them restarts it.',
}

/** @param isLast the next step is the same for all */
function editedReason(why: string, isLast: boolean): AdoptReason {
  const next = '`converge plan` shows the new definition and the restart. Both are refused until you approve them.'
  return { code: 'ADOPT.STALE_FILE', why, next: isLast ? [next] : [] }
}

function withNext({ code, change, why }: TakeoverReason): AdoptReason {
  return { code, why, next: [fieldSteps[change.field] ?? nextSteps[code]] }
}
