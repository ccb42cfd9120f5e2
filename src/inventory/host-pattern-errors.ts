import { ConvergeError } from '../errors/converge-error.ts'
import { converge, shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { NextStep } from '../model/next-step.ts'
import { nearest } from './did-you-mean.ts'
import type { HostPattern, HostTerm, TermPosition } from './host-term.ts'

const listHosts = converge(['hosts'], { say: 'List hosts:', note: '--limit PATTERN tries a pattern' })

export function emptyPattern(text: string): ConvergeError {
  return new ConvergeError('USAGE.PATTERN_EMPTY', {
    summary: 'A host pattern is empty.',
    why: `\`${text}\` names no host. Often a variable in a script is empty.`,
    next: ['Name a host, a group or a glob; `all` selects every host.', listHosts],
  })
}

export function emptyLimitFile(limit: string): ConvergeError {
  return new ConvergeError('USAGE.PATTERN_EMPTY', {
    summary: 'A host pattern is empty.',
    why: `The files that \`${limit}\` names contain no pattern, only blank lines or comments. An empty list never means all hosts.`,
    next: ['Write one pattern per line into the file.', listHosts],
  })
}

export function unreadableLimitFile(file: string, cause: unknown): ConvergeError {
  return new ConvergeError(
    'USAGE.LIMIT_FILE',
    {
      summary: 'A file named in --limit cannot be read.',
      why: `\`@${file}\` reads one pattern per line from ${file}, but: ${cause instanceof Error ? cause.message : String(cause)}.`,
      next: [shell(`ls -l ${shellQuote([file])}`, { say: 'Look for it:', note: 'relative to the current folder' })],
    },
    { cause },
  )
}

export function unreadablePattern(term: string, position: TermPosition, problem: string): ConvergeError {
  return new ConvergeError('USAGE.PATTERN', {
    summary: 'A host pattern is invalid.',
    why: `\`${term}\` (${describe(position)}): ${problem}.`,
    next: [
      'A term is a name, a glob such as `web*`, or `~` with a regular expression; names and globs may end in `[0]`, `[-1]`, `[0:2]` or `[1:]`.',
      'Separate terms with `,`; `&` in front means only these, `!` means not these.',
    ],
  })
}

export function unknownName(term: HostTerm, names: readonly string[]): ConvergeError {
  const name = term.wanted.by === 'name' ? term.wanted.name : term.text
  const near = nearest(name, names)
  return new ConvergeError('USAGE.UNKNOWN_HOST', {
    summary: 'There is no host or group with this name.',
    why: `\`${name}\` (${describe(positionOfName(term))}) is neither a host nor a group of this inventory.`,
    next: [...(near === undefined ? [] : [suggest(term, name, near)]), ...separatorHints(term, name), listHosts],
  })
}

export function subscriptOutOfRange(term: HostTerm, matched: number): ConvergeError {
  return new ConvergeError('USAGE.NO_HOSTS', {
    summary: 'A host pattern matches no host.',
    why: `\`${term.text}\` (${describe(term.position)}) asks for a position that does not exist: without it the term matches ${hosts(matched)}, counted from 0.`,
    next: [converge(['hosts', '--limit', term.text.replace(/^[!&]|\[[^[]*$/g, '')], { say: 'See which:' })],
  })
}

export function noHosts(pattern: HostPattern): ConvergeError {
  return new ConvergeError('USAGE.NO_HOSTS', {
    summary: 'A host pattern matches no host.',
    why: `\`${pattern.text}\` is valid, but selects no host of this inventory.`,
    next: [listHosts],
  })
}

function describe(position: TermPosition): string {
  if ('line' in position) return `line ${position.line} of ${position.file}`
  return `column ${position.column} of \`${position.pattern}\``
}

/** Without the operator in front. */
function positionOfName({ op, position }: HostTerm): TermPosition {
  return 'line' in position || op === 'union' ? position : { ...position, column: position.column + 1 }
}

function hosts(count: number): string {
  return count === 1 ? '1 host' : `${count} hosts`
}

function suggest(term: HostTerm, name: string, near: string): NextStep {
  const position = positionOfName(term)
  if ('line' in position) return `Did you mean \`${near}\`?`
  const { pattern, column } = position
  const from = column - 1
  const corrected = `${pattern.slice(0, from)}${near}${pattern.slice(from + name.length)}`
  return converge(['hosts', '--limit', corrected], { say: `Did you mean \`${near}\`? See what that selects:` })
}

/** Unknown names that are not typing errors mostly come from `:`, which does not always separate terms. */
function separatorHints(term: HostTerm, name: string): readonly string[] {
  if (name.startsWith('@')) return ['`@file` works only in --limit, as a separate term without `!` or `&`.']
  const torn = !('line' in term.position) && !term.position.pattern.includes(',') && term.position.pattern.includes('::')
  if (torn || /[:\s]/.test(name))
    return ['Separate terms only with `,`: next to a comma, a port or an address, `:` separates nothing.']
  return []
}
