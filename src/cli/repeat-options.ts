import { stripVTControlCharacters } from 'node:util'
import { shellQuote } from '../lib/shell-quote.ts'
import { command } from './fold-text.ts'
import type { GivenOptions } from './given-options.ts'

const verbs = /converge (hosts|validate|render|plan|apply|resume|facts|verify|status|unlock)\b(?!.* (?:-i|--inventory)\b)/
const withoutHosts = ['hosts', 'validate', 'render']

/** Commands that people are to type next get the options without which they would be about another fleet. */
export function repeatOptions(text: string, given: GivenOptions): string {
  if (Object.keys(given).length === 0) return text
  return text
    .split('\n')
    .map((line) =>
      command.test(stripVTControlCharacters(line)) ? line.replace(verbs, (_, verb: string) => told(verb, given)) : line,
    )
    .join('\n')
}

function told(verb: string, { inventory, sshConfig }: GivenOptions): string {
  const words = [
    ...(inventory === undefined ? [] : ['-i', inventory]),
    ...(sshConfig === undefined || withoutHosts.includes(verb) ? [] : ['--ssh-config', sshConfig]),
  ]
  return ['converge', verb, ...(words.length === 0 ? [] : [shellQuote(words)])].join(' ')
}
