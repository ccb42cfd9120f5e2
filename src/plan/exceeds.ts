import { touchesNoServer } from '../managers/tidying.ts'
import { type Action, type FieldChange, hostItself, type Risk } from '../model/action.ts'

/** What of an action people were told that it does. */
export type Shown = Pick<Action, 'interrupts' | 'starts' | 'risk' | 'changes' | 'temporary'>

const risks: readonly Risk[] = ['none', 'safe', 'disruptive', 'costly', 'destructive']

/**
 * What an action would do now beyond what was shown of it, as sentences; empty: no more than that. What is there by now may be another
 * value, as long as what it is changed to was shown.
 *
 * @param now the same action, or what is left of it, in a plan that was made just now
 */
export function exceeds(shown: Shown, now: Action): readonly string[] {
  return [
    ...(now.interrupts && !shown.interrupts ? ['it would interrupt a running server now'] : []),
    ...(now.starts && !shown.starts ? ['it would start a server now'] : []),
    ...(staysDown(now) && !staysDown(shown) ? ['the server would not be started again'] : []),
    ...(risks.indexOf(now.risk) > risks.indexOf(shown.risk) ? [`it is ${now.risk} now, and was ${shown.risk}`] : []),
    ...now.changes.filter((change) => !isCovered(change, shown, now)).map((change) => notPlanned(change, shown)),
  ]
}

export function worstRisk(actions: readonly Pick<Action, 'risk'>[]): Risk {
  return risks[Math.max(0, ...actions.map(({ risk }) => risks.indexOf(risk)))] ?? 'none'
}

/** What it interrupts runs again neither by it nor by a later action of its plan. */
function staysDown({ interrupts, starts, temporary }: Pick<Action, 'interrupts' | 'starts' | 'temporary'>): boolean {
  return interrupts && !starts && temporary === undefined
}

function notPlanned(change: FieldChange, { changes }: Shown): string {
  const instead = changes.find(({ field }) => field === change.field)
  return instead === undefined
    ? `${change.field} ${valuesOf(change)} was not planned`
    : `${change.field} ${valuesOf(change)}, planned was ${valuesOf(instead)}`
}

function valuesOf({ from, to }: FieldChange): string {
  return `${from ?? '(none)'} → ${to ?? '(none)'}`
}

function isCovered(change: FieldChange, shown: Shown, now: Action): boolean {
  const { field, from, to } = change
  // No precondition holds what a setting of the machine was.
  if (now.service === hostItself) return shown.changes.some((one) => one.field === field && one.from === from && one.to === to)
  if (sweeps(change, now)) return true
  // Whether a server is ended or started is told by the action itself, whatever state it is found in.
  if (field === 'state') return true
  return shown.changes.some((one) => sameness(one) === sameness(change) || brings(one, field, to))
}

/** What lies about after a run that was cut off: whatever is done to a service sees to that as well. But a removal takes its key along. */
function sweeps(change: FieldChange, { kind }: Action): boolean {
  return touchesNoServer(change) && !(change.field === 'key_file' && kind === 'remove')
}

/** What is done half-way shows another side: a file that is written and not read yet, a key that is there and that no server has. */
function brings({ field, to }: FieldChange, other: string, value: string | null): boolean {
  if (other === 'definition.loaded') return isOfDefinition(field)
  if (other === 'starts_at_boot') return field === 'state' && to === (value === 'yes' ? 'running' : 'stopped')
  return isOfKey(other) && isOfKey(field) && to !== null && value !== null
}

function isOfDefinition(field: string): boolean {
  return field === 'definition' || field.startsWith('definition.')
}

function isOfKey(field: string): boolean {
  return ['key_file', 'definition.key', 'running.key'].includes(field)
}

/** What differs on disk and in the process in the same way is told once. */
function sameness({ field, to }: FieldChange): string {
  return JSON.stringify([field.replace(/^(definition|running)\./, ''), to])
}
