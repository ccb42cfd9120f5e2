import type { GivenOptions } from '../model/given-options.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Paint } from './paint.ts'

const withoutHosts = ['hosts', 'validate', 'render']
/** Those that would look at or change more than the run was about. `hosts` is named where a name was not found. */
const withScope = ['plan', 'apply', 'drift', 'facts', 'fetch', 'verify', 'status']
const withFile = ['plan', 'apply']
const withInventory = new Set([...withoutHosts, ...withScope, 'resume', 'unlock'])
const limits = ['--allow', '--wait-idle', '--max-downtime']

/**
 * What to do next as people read it. Commands of converge get the options without which they would be about another fleet, or about more
 * of it than this run was. What a command says itself stays as it is.
 */
export function nextText(step: NextStep, { given, whole }: Paint): string {
  if (typeof step === 'string') return step
  const { command } = step
  return step.text(typeof command === 'string' ? command : withGiven(command, given), whole)
}

/** @param words behind `converge`, the verb first */
export function withGiven(words: readonly string[], given: GivenOptions): readonly string[] {
  const [verb = '', ...own] = words
  // Whoever names another inventory means another fleet.
  if (!withInventory.has(verb) || says(own, 'i', 'inventory')) return words
  return [verb, ...fileOf(verb, own, given), ...wayOf(verb, own, given), ...scopeOf(verb, own, given), ...own]
}

function fileOf(verb: string, own: readonly string[], given: GivenOptions): readonly string[] {
  const file = isOfSavedPlan(verb, own, given) ? given.savedPlan : given.playbook
  return file === undefined || !withFile.includes(verb) || own.includes(file) ? [] : [file]
}

function wayOf(verb: string, own: readonly string[], { inventory, sshConfig }: GivenOptions): readonly string[] {
  return [
    ...(inventory === undefined ? [] : ['-i', inventory]),
    ...(sshConfig === undefined || withoutHosts.includes(verb) || names(own, '--ssh-config') ? [] : ['--ssh-config', sshConfig]),
  ]
}

function scopeOf(verb: string, own: readonly string[], given: GivenOptions): readonly string[] {
  const { limit, services = [] } = given
  if (!withScope.includes(verb) || isOfSavedPlan(verb, own, given)) return []
  return [
    ...(limit === undefined || says(own, 'l', 'limit') ? [] : ['--limit', limit]),
    ...(says(own, 's', 'service') ? [] : services.flatMap((one) => ['-s', one])),
  ]
}

/** A saved plan is applied again, unless what it says itself is said beside it: these do not go together. */
function isOfSavedPlan(verb: string, own: readonly string[], { savedPlan }: GivenOptions): boolean {
  const isLimited = says(own, 'l', 'limit') || says(own, 's', 'service') || limits.some((one) => names(own, one))
  return savedPlan !== undefined && verb === 'apply' && !isLimited
}

/** `-l nas`, `-lnas`, `-ql nas`, `--limit nas`, `--limit=nas`. */
function says(own: readonly string[], short: string, long: string): boolean {
  return names(own, `--${long}`) || own.some((word) => new RegExp(`^-[a-zA-Z]*${short}`).test(word))
}

function names(own: readonly string[], option: string): boolean {
  return own.some((word) => word === option || word.startsWith(`${option}=`))
}
