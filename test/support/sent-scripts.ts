import { execFileSync } from 'node:child_process'
import { deleteAct, onlyInPlaceOf, putAct, rehearseAct } from '../../src/apply/file-scripts.ts'
import { bookkeepingLabels } from '../../src/model/bookkeeping.ts'
import type { HostPlan } from '../../src/model/plan.ts'
import type { PlannedStep } from '../../src/model/planned-steps.ts'

/**
 * Keeps what every command of an SSH session reads from its stdin in a file of its own in a folder, and runs it: `$1` is that folder, what
 * follows starts the command. Their names sort by the time at which their first line came: sessions may be opened before they are used.
 */
export const recorder = `#!/bin/sh
folder=$1
shift
{
  IFS= read -r first && { printf '%s\\n' "$first"; cat; } | tee "$folder/$(date +%s%N).$$"
} | "$@"
`

/** One script that changed something, as the host got it. */
interface Sent {
  readonly script: string
  readonly args: readonly string[]
}

/**
 * What was sent to a host and does not stand in the plan, or stands there and was not sent; empty: what was shown is what was done.
 *
 * @param recorded what the host got on stdin, in order
 * @param secrets what a plan shows as `***`
 * @param ended with what an action ends: it takes effect and is tidied up after, or it fails and is rolled back
 */
export function unlikeShown(
  plan: HostPlan,
  recorded: readonly string[],
  secrets: readonly string[],
  ended: 'cleanup' | 'undo' = 'cleanup',
): readonly string[] {
  const acting = recorded.filter(mayAct).map(readSent)
  const shown = plan.actions.flatMap(({ steps }) => [...(steps?.steps ?? []), ...(steps?.[ended] ?? [])])
  const around = acting.filter((sent) => isBookkeeping(sent, plan))
  const steps = acting.filter((sent) => !around.includes(sent)).map((sent) => stepIn(sent, secrets))
  const expected = shown.map((step) => nameOf(step))
  const extra = steps.filter((step) => !expected.includes(step)).map((step) => `sent, and not shown: ${step}`)
  const missing = expected.filter((step) => !steps.includes(step)).map((step) => `shown, and not sent: ${step}`)
  const order = steps.filter((step) => expected.includes(step))
  const ordered = extra.length + missing.length > 0 || order.join('\n') === expected.join('\n')
  const shownTimers = (plan.bookkeeping ?? []).filter(({ label }) => label.startsWith('arm ')).length
  const timers = around.filter(({ script }) => script.includes('may_leave || return 1')).length
  const armed = timers === shownTimers ? [] : [`${timers} timers were armed, ${shownTimers} shown`]
  const silent = around.length < 3 ? [`only ${around.length} scripts of the bookkeeping were seen`] : []
  const unchecked = shown
    .filter((step) => !isValidated(step, acting))
    .map((step) => `put without what validates it: ${nameOf(step)}`)
  return [...extra, ...missing, ...(ordered ? [] : ['the order is another one']), ...unchecked, ...armed, ...silent]
}

/** What validates a file is sent with it, inside a script that also announces the file to a rollback timer. */
function isValidated(step: PlannedStep, acting: readonly Sent[]): boolean {
  if (step.do !== 'put' || step.validate === undefined) return true
  const { path, validate } = step
  return acting.some(({ script, args }) => args.includes(path) && script.includes(validate.script))
}

/** What only looks has no grace when its connection ends. */
function mayAct(input: string): boolean {
  return input.includes('_cv_script=') && /_cv_nap \d+\n_cv_stop USR2/.test(input)
}

function readSent(input: string): Sent {
  const from = input.indexOf('_cv_script=')
  const to = input.indexOf('\nexec 3<&0 </dev/null')
  const words = `${input.slice(from, to)}\nprintf '%s\\0' "$_cv_script" "$@"`
  const [script = '', ...args] = execFileSync('sh', { input: words, encoding: 'utf8' }).split('\0').slice(0, -1)
  return { script, args }
}

/** The locks are scripts of their own; what else is bookkeeping says so by the path it is about, which the plan shows. */
function isBookkeeping({ script, args }: Sent, { bookkeeping = [] }: HostPlan): boolean {
  const lock = bookkeeping.find(({ label }) => label === bookkeepingLabels.takeLock)?.path ?? '(none)'
  if (!script.includes('\nact() {')) return args.some((arg) => arg === lock || `${arg}/lock` === lock)
  const paths = bookkeeping.map(({ path }) => path)
  return paths.includes(actOf({ script, args }).args[0] ?? '')
}

function stepIn(sent: Sent, secrets: readonly string[]): string {
  const { act, args } = actOf(sent)
  if (act === deleteAct) return nameOf({ do: 'delete', label: '', guards: [], path: args[0] ?? '' })
  const rehearsal = act === rehearseAct
  const conditional = act === `${onlyInPlaceOf}${putAct}`
  if (!rehearsal && act !== putAct && !conditional)
    return nameOf({ do: 'run', label: '', guards: [], script: act, args, timeout_s: 0 })
  const [path = '', mode = '', owner = '', folder_mode = ''] = conditional ? args.slice(1) : args
  const open = /content\(\) \{\ncat <<'(end_\w+)'\n(.*?)\.\n\1\n\}/s.exec(sent.script)?.[2] ?? '(no content)'
  const content = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), open)
  const about = { path, mode, folder_mode, content, ...(owner === '' ? {} : { owner }), ...(rehearsal ? { rehearsal } : {}) }
  return nameOf({ do: 'put', label: '', guards: [], ...about, ...(conditional ? { replaces: args[0] ?? '' } : {}) })
}

/** A step without what is for people. */
function nameOf(step: PlannedStep): string {
  if (step.do === 'run') return JSON.stringify(['run', step.script, step.args])
  if (step.do === 'delete') return JSON.stringify(['delete', step.path])
  if (step.do === 'wait') return JSON.stringify(['wait', step.until.script])
  const { path, mode, folder_mode, owner, replaces, rehearsal, content } = step
  return JSON.stringify(['put', path, mode, folder_mode, owner, replaces, rehearsal, content.trimEnd()])
}

/** What is done once every guard held, and its arguments. */
function actOf({ script, args }: Sent): { readonly act: string; readonly args: readonly string[] } {
  const [, act = '', main = ''] = /\nact\(\) \{\n:\n(.*?)\n\}\nmain\(\) \{\n(.*)$/s.exec(script) ?? []
  const call = /\bact ((?:"\$\{\d+\}" ?)*)/.exec(main)?.[1] ?? ''
  const places = [...call.matchAll(/\d+/g)].map(([place]) => Number(place) - 1)
  const given = places.map((place) => args[place] ?? '')
  // The last step of a rollback takes its timer off as well, whose folder and id come first.
  const last = /^timers=\$1 id=\$2\nshift 2\n\(\n(.*)\n\) \|\| exit\n/s.exec(act)?.[1]
  return last === undefined ? { act, args: given } : { act: last, args: given.slice(2) }
}
