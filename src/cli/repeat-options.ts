import { stripVTControlCharacters } from 'node:util'
import { shellQuote } from '../lib/shell-quote.ts'
import { command } from './fold-text.ts'
import type { GivenOptions } from './given-options.ts'

const verbs = /converge (hosts|validate|render|plan|apply|drift|resume|facts|fetch|verify|status|unlock)\b(.*)/
const withoutHosts = ['hosts', 'validate', 'render']
/** Those that would look at or change more than the run was about. `hosts` is named where a name was not found. */
const withScope = ['plan', 'apply', 'drift', 'facts', 'fetch', 'verify', 'status']
const withFile = ['plan', 'apply']
const limits = / --(?:allow|wait-idle|max-downtime)\b/

/**
 * Commands that people are to type next get the options without which they would be about another fleet, or about more of it than
 * this run was. What a command says itself stays as it is.
 */
export function repeatOptions(text: string, given: GivenOptions): string {
  if (Object.keys(given).length === 0) return text
  return text
    .split('\n')
    .map((line) =>
      command.test(stripVTControlCharacters(line))
        ? line.replace(verbs, (_, verb: string, rest: string) => `converge ${told(verb, rest, given)}${rest}`)
        : line,
    )
    .join('\n')
}

function told(verb: string, rest: string, given: GivenOptions): string {
  const own = rest.split(' #', 1)[0] ?? ''
  // Whoever names another inventory means another fleet.
  if (says(own, 'i', 'inventory')) return verb
  const words = [...fileOf(verb, own, given), ...wayOf(verb, own, given), ...scopeOf(verb, own, given)]
  return [verb, ...(words.length === 0 ? [] : [shellQuote(words)])].join(' ')
}

function fileOf(verb: string, own: string, given: GivenOptions): readonly string[] {
  const file = isOfSavedPlan(verb, own, given) ? given.savedPlan : given.playbook
  return file === undefined || !withFile.includes(verb) || names(own, file) ? [] : [file]
}

function wayOf(verb: string, own: string, { inventory, sshConfig }: GivenOptions): readonly string[] {
  return [
    ...(inventory === undefined ? [] : ['-i', inventory]),
    ...(sshConfig === undefined || withoutHosts.includes(verb) || own.includes(' --ssh-config')
      ? []
      : ['--ssh-config', sshConfig]),
  ]
}

function scopeOf(verb: string, own: string, given: GivenOptions): readonly string[] {
  const { limit, services = [] } = given
  if (!withScope.includes(verb) || isOfSavedPlan(verb, own, given)) return []
  return [
    ...(limit === undefined || says(own, 'l', 'limit') ? [] : ['--limit', limit]),
    ...(says(own, 's', 'service') ? [] : services.flatMap((one) => ['-s', one])),
  ]
}

/** A saved plan is applied again, unless what it says itself is said beside it: these do not go together. */
function isOfSavedPlan(verb: string, own: string, { savedPlan }: GivenOptions): boolean {
  return (
    savedPlan !== undefined && verb === 'apply' && !says(own, 'l', 'limit') && !says(own, 's', 'service') && !limits.test(own)
  )
}

/** `-l nas`, `-lnas`, `-ql nas`, `--limit nas`, `--limit=nas`. */
function says(own: string, short: string, long: string): boolean {
  return new RegExp(` (?:--${long}\\b|-[a-zA-Z]*${short})`).test(own)
}

function names(own: string, path: string): boolean {
  return `${own} `.includes(` ${shellQuote([path])} `)
}
