import { globMatches } from '../../lib/glob.ts'

/**
 * For which hosts `ssh -G` must give the same answer, but for their names. Asking ssh costs a process; most configs tell hosts apart by
 * `Host` lines alone, and hosts that match the same ones are treated alike. Anything that could look at more than the name makes
 * every host a class of its own.
 */
export interface HostClasses {
  /** Equal for hosts of one class; undefined: ask ssh about this one by itself. */
  classOf(name: string): string | undefined
}

/** @param configs the text of every file that ssh read, whatever block it was included from. */
export function hostClasses(configs: readonly string[]): HostClasses {
  const lines = configs.flatMap((config) => config.split('\n')).flatMap(selectorOf)
  const tellable = lines.every(({ keyword, words }) => (keyword === 'host' ? words.every(isPlain) : isMatchAll(words)))
  if (!tellable || configs.some(expandsMoreThanTheName)) return { classOf: () => undefined }
  const patterns = [...new Set(lines.filter(({ keyword }) => keyword === 'host').flatMap(({ words }) => words))]
  const globs = patterns.map((word) => word.replace(/^!/, ''))
  return {
    classOf: (name) => (isUnchangedBySsh(name) ? globs.map((glob) => (globMatches(glob, name) ? '1' : '0')).join('') : undefined),
  }
}

/** Whether ssh takes a name as it is: others it may fold, expand or refuse. */
export function isUnchangedBySsh(name: string): boolean {
  return /^(?!-)[a-z0-9._:-]+$/.test(name)
}

/** Port and user come from the inventory, past ssh: a path with them in it would be wrong. We have no use for ControlPath, which often has them. */
function expandsMoreThanTheName(config: string): boolean {
  return config.split('\n').some((line) => /%[Cjpr]/.test(line) && !/^\s*(#|controlpath\b)/i.test(line))
}

interface Selector {
  readonly keyword: 'host' | 'match'
  readonly words: readonly string[]
}

function selectorOf(line: string): readonly Selector[] {
  const match = /^\s*(host|match)(?:\s*=\s*|\s+)(.*)$/i.exec(line)
  if (match === null) return []
  const words = (match[2] ?? '')
    .replace(/(^|\s)#.*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  return [
    {
      keyword: match[1]?.toLowerCase() === 'host' ? 'host' : 'match',
      words: words.map((word) => word.replace(/^"(.*)"$/, '$1')),
    },
  ]
}

/** Patterns that `globMatches` reads as ssh does: no brackets, quotes, commas or escapes in them. */
function isPlain(word: string): boolean {
  return /^!?[a-z0-9.*?_:-]+$/.test(word)
}

function isMatchAll(words: readonly string[]): boolean {
  return words.length === 1 && words[0]?.toLowerCase() === 'all'
}
