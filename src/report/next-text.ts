import type { GivenOptions } from '../model/given-options.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Paint } from './paint.ts'

const withoutHosts = ['hosts', 'validate', 'render']
/** Verbs that would cover more than this run without its selection. Problems with a name suggest `hosts`, so it keeps all hosts. */
const withScope = ['plan', 'apply', 'drift', 'facts', 'fetch', 'verify', 'status', 'endpoints']
const withFile = ['plan', 'apply']
const withInventory = new Set([...withoutHosts, ...withScope, 'adopt', 'logs', 'restart', 'resume', 'unlock'])
const limits = ['--allow', '--wait-idle', '--max-downtime']

/**
 * The next step as people read it. A command of converge gets the options of this run, so that it covers the same fleet and no more of it.
 * Options that the command has itself stay as they are.
 */
export function nextText(step: NextStep, { given, whole }: Paint): string {
  if (typeof step === 'string') return step
  const { command } = step
  return step.text(typeof command === 'string' ? command : withGiven(command, given), whole)
}

/** @param words after `converge`, the verb first */
export function withGiven(words: readonly string[], given: GivenOptions): readonly string[] {
  const [verb = '', ...own] = words
  const { operation } = given
  if (operation !== undefined && verb === 'apply' && own.includes('--allow'))
    return [...operation, ...wayOf(verb, own, given), ...own.slice(own.indexOf('--allow'))]
  // A command with its own inventory is about another fleet.
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
  const { limit, shard, services = [] } = given
  if (!withScope.includes(verb) || isOfSavedPlan(verb, own, given)) return []
  return [
    ...(limit === undefined || says(own, 'l', 'limit') ? [] : ['--limit', limit]),
    ...(shard === undefined || verb === 'endpoints' || names(own, '--limit') ? [] : ['--shard', shard]),
    ...(says(own, 's', 'service') ? [] : services.flatMap((one) => ['-s', one])),
  ]
}

/** The command applies the saved plan again, unless it has options that a saved plan excludes. */
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
