import { touchesNoServer } from '../managers/tidying.ts'
import { type Action, type FieldChange, hostItself, type Risk } from '../model/action.ts'

/** The effects of an action that people were shown. */
export type ShownAction = Pick<Action, 'interrupts' | 'starts' | 'risk' | 'changes' | 'temporary' | 'ends'>

const risks: readonly Risk[] = ['none', 'safe', 'disruptive', 'costly', 'destructive']

/**
 * What an action would now do beyond what was shown, as sentences. Empty: no more than that. The current value of a field may differ, as long as
 * its new value was shown.
 *
 * @param now the same action, or the rest of it, in a new plan
 */
export function exceeds(shown: ShownAction, now: Action): readonly string[] {
  return [
    ...(now.interrupts && !shown.interrupts ? ['it would now interrupt a running server'] : []),
    ...(now.starts && !shown.starts ? ['it would now start a server'] : []),
    ...(endsOther(shown, now) ? [`it would now end process ${now.ends?.pid}`] : []),
    ...(staysDown(now) && !staysDown(shown) ? ['it would now leave the server stopped'] : []),
    ...(risks.indexOf(now.risk) > risks.indexOf(shown.risk) ? [`its risk is now ${now.risk} instead of ${shown.risk}`] : []),
    ...now.changes.filter((change) => !isCovered(change, shown, now)).map((change) => notPlanned(change, shown)),
  ]
}

export function worstRisk(actions: readonly Pick<Action, 'risk'>[]): Risk {
  return risks[Math.max(0, ...actions.map(({ risk }) => risks.indexOf(risk)))] ?? 'none'
}

/** An approval to end one process is not for another one. */
function endsOther(shown: ShownAction, { ends }: Action): boolean {
  return ends !== undefined && (ends.pid !== shown.ends?.pid || ends.start !== shown.ends.start)
}

/** Neither the action nor a later one of its plan starts the interrupted server again. */
function staysDown({ interrupts, starts, temporary }: Pick<Action, 'interrupts' | 'starts' | 'temporary'>): boolean {
  return interrupts && !starts && temporary === undefined
}

function notPlanned(change: FieldChange, { changes }: ShownAction): string {
  const instead = changes.find(({ field }) => field === change.field)
  return instead === undefined
    ? `${change.field} ${valuesOf(change)} was not planned`
    : `${change.field} ${valuesOf(change)} instead of ${valuesOf(instead)}`
}

function valuesOf({ from, to }: FieldChange): string {
  return `${from ?? '(none)'} → ${to ?? '(none)'}`
}

function isCovered(change: FieldChange, shown: ShownAction, now: Action): boolean {
  const { field, from, to } = change
  // No precondition covers the old value of a setting of the machine.
  if (now.service === hostItself) return shown.changes.some((one) => one.field === field && one.from === from && one.to === to)
  if (tidies(change, now)) return true
  // The action itself says whether it stops or starts a server, whatever the current state is.
  if (field === 'state') return true
  return shown.changes.some((one) => sameness(one) === sameness(change) || brings(one, field, to))
}

/** Leftovers of an interrupted run: every action on a service removes them too. But removing a service removes its key, which must be shown. */
function tidies(change: FieldChange, { kind }: Action): boolean {
  return touchesNoServer(change) && !(change.field === 'key_file' && kind === 'remove')
}

/** A half-done action shows another field: a file that is written but not loaded, or a key that no server has read yet. */
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

/** The same difference on disk and in the process counts once. */
function sameness({ field, to }: FieldChange): string {
  return JSON.stringify([field.replace(/^(definition|running)\./, ''), to])
}
