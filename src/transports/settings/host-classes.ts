import { globMatches } from '../../lib/glob.ts'

/**
 * Groups hosts for which `ssh -G` must give the same answer, apart from their names. Running ssh costs a process; most configs distinguish
 * hosts by `Host` lines alone, and hosts that match the same lines get the same settings. If anything could depend on more than the name,
 * every host is a class of its own.
 */
export interface HostClasses {
  /** Equal for hosts of one class; undefined: ask ssh about this host separately. */
  classOf(name: string): string | undefined
}

/** @param configs the text of every file that ssh read, whichever block included it */
export function hostClasses(configs: readonly string[]): HostClasses {
  const lines = selectorsIn(configs)
  const isNameOnly = lines.every(({ keyword, words }) => (keyword === 'host' ? words.every(isPlain) : isMatchAll(words)))
  if (!isNameOnly || configs.some(expandsMoreThanTheName)) return { classOf: () => undefined }
  const patterns = [...new Set(lines.filter(({ keyword }) => keyword === 'host').flatMap(({ words }) => words))]
  const globs = patterns.map((word) => word.replace(/^!/, ''))
  return {
    classOf: (name) => (isUnchangedBySsh(name) ? globs.map((glob) => (globMatches(glob, name) ? '1' : '0')).join('') : undefined),
  }
}

/** Whether ssh uses a name unchanged: others it may lowercase, expand or refuse. */
export function isUnchangedBySsh(name: string): boolean {
  return /^(?!-)[a-z0-9._:-]+$/.test(name)
}

/** Hosts that `Host` lines name, without patterns and negations; each once, in the order of the files. */
export function namedHosts(configs: readonly string[]): readonly string[] {
  const words = selectorsIn(configs)
    .filter(({ keyword }) => keyword === 'host')
    .flatMap((line) => line.words)
  return [...new Set(words.filter((word) => !/[*?!]/.test(word)))]
}

/** Port and user come from the inventory, unknown to ssh: paths that contain them would be wrong. ControlPath, which often does, is not used. */
function expandsMoreThanTheName(config: string): boolean {
  return config.split('\n').some((line) => /%[Cjpr]/.test(line) && !/^\s*(#|controlpath\b)/i.test(line))
}

interface Selector {
  readonly keyword: 'host' | 'match'
  readonly words: readonly string[]
}

/** ssh also reads files with line ends of Windows. */
function selectorsIn(configs: readonly string[]): readonly Selector[] {
  return configs.flatMap((config) => config.split(/\r?\n/)).flatMap(selectorOf)
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

/** Patterns that `globMatches` interprets like ssh: without brackets, quotes, commas or escapes. */
function isPlain(word: string): boolean {
  return /^!?[a-z0-9.*?_:-]+$/.test(word)
}

function isMatchAll(words: readonly string[]): boolean {
  return words.length === 1 && words[0]?.toLowerCase() === 'all'
}
