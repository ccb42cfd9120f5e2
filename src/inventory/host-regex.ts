import { RegexCost } from './regex-cost.ts'

/**
 * Compiles a regular expression in Python's notation, anchored only at the start of the name, like Ansible's `~pattern`. It translates what
 * JavaScript writes differently (`(?i)` in front, `(?P<name>…)`, `\A`, `\Z`, `{,3}`, a leading `]` in a class). It refuses what JavaScript lacks
 * (possessive repetition, conditions, verbose mode), and what could run forever, because nothing can interrupt a regular expression.
 *
 * @throws SyntaxError with the reason in words
 */
export function compileHostRegex(source: string): RegExp {
  try {
    const { body, flags } = translate(source)
    return new RegExp(`^(?:${body})`, flags)
  } catch (error) {
    // The engine's message starts with the whole translated expression.
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: .*: /s, '') : 'unreadable'
    throw new SyntaxError(`the regular expression cannot be used: ${reason}`, { cause: error })
  }
}

const leadingFlags = /^\(\?([aimsu]+)\)/
const token = new RegExp(
  [
    String.raw`(?<escape>\\[^])`,
    String.raw`(?<class>\[\^?\]?(?:\\[^]|[^\]\\])*\])`,
    String.raw`\(\?P=(?<reference>\w+)\)`,
    String.raw`(?<open>\((?:\?(?:<?[=!]|:|P<[A-Za-z_]\w*>|[ims]+(?:-[ims]+)?:))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<repeat>(?:[*+?]|\{(?=[\d,])(?<least>\d*)(?<comma>,?)(?<most>\d*)\})(?<mode>[?+]?))`,
    String.raw`(?<choice>\|)`,
    String.raw`(?<anchor>[$^])`,
    String.raw`(?<literal>[^])`,
  ].join('|'),
  'gu',
)

type Groups = Readonly<Record<string, string | undefined>>

function translate(source: string): { readonly body: string; readonly flags: string } {
  const given = leadingFlags.exec(source)
  const flags = [...new Set(given?.[1] ?? '')].filter((flag) => 'ims'.includes(flag)).join('')
  const cost = new RegexCost()
  const pieces = [...source.slice(given?.[0].length ?? 0).matchAll(token)]
  return { body: pieces.map((piece) => translatePiece(piece[0], piece.groups ?? {}, cost)).join(''), flags: `u${flags}` }
}

function translatePiece(text: string, groups: Groups, cost: RegexCost): string {
  if (groups['repeat'] !== undefined) return translateRepetition(text, groups, cost)
  if (groups['open'] !== undefined) cost.open()
  else if (groups['close'] !== undefined) cost.close()
  else if (groups['choice'] !== undefined) cost.choice()
  else cost.atom()
  if (groups['escape'] !== undefined) return translateEscape(text)
  if (groups['class'] !== undefined) return translateClass(text)
  if (groups['reference'] !== undefined) return `\\k<${groups['reference']}>`
  if (groups['literal'] !== undefined && '{}]'.includes(text)) return `\\${text}`
  return text.replace('(?P<', '(?<')
}

function translateRepetition(text: string, groups: Groups, cost: RegexCost): string {
  if (groups['mode'] === '+') throw new SyntaxError('possessive repetition is not supported')
  cost.repeat(bounds(text, groups))
  return text.replace('{,', '{0,')
}

function bounds(text: string, { least, comma, most }: Groups): { readonly least: number; readonly most: number } {
  if (text.startsWith('?')) return { least: 0, most: 1 }
  if (text.startsWith('*')) return { least: 0, most: Infinity }
  if (text.startsWith('+')) return { least: 1, most: Infinity }
  if (comma === '') return { least: Number(least), most: Number(least) }
  return { least: Number(least ?? 0), most: most === undefined || most === '' ? Infinity : Number(most) }
}

/** In Unicode mode, JavaScript rejects unknown escapes. So only those pass that have the same meaning in both. */
function translateEscape(escape: string): string {
  const char = escape.charAt(1)
  if (char === 'A') return '^'
  if (char === 'Z') return '$'
  if (char === 'a') return '\\x07'
  if (/[dDwWsSbBnrtfvxu0-9]/.test(char)) return escape
  if (/[A-Za-z]/.test(char)) throw new SyntaxError(`\`${escape}\` is not supported`)
  return /[$^\\.*+?()[\]{}|/]/.test(char) ? escape : char
}

function translateClass(text: string): string {
  const [, open = '', body = ''] = /^(\[\^?)([^]*)\]$/.exec(text) ?? []
  const members = body.startsWith(']') ? `\\${body}` : body
  return `${open}${members.replace(/\\[^]/g, (escape) => (escape === '\\-' ? escape : translateEscape(escape)))}]`
}
