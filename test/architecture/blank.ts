/** Replaces comments by blanks; every other character keeps its place. */
export function blankComments(text: string): string {
  return rewrite(text, (kind, token) => (kind === 'comment' ? blank(token) : token))
}

/** Replaces what stands inside strings, templates and regular expressions by blanks; their delimiters and `${…}` stay. */
export function blankStrings(text: string): string {
  return rewrite(text, (kind, token) => (kind === 'text' ? blank(token) : token))
}

/** `text`: what is inside delimiters. */
type Kind = 'comment' | 'text' | 'code'

const tokens =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/|^#![^\n]*)|(?<string>'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*")|(?<word>[\w$]+)|(?<space>\s+)|(?<mark>[^])/y
const regexLiteral = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const templateText = /(?:\\[^]|\$(?!\{)|[^`\\$])*/y
/** Words after which a `/` begins a regular expression; after any other word it divides. */
const operators = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'throw',
  'await',
  'yield',
  'new',
])

/** Enough of a lexer for TypeScript without JSX to know what is comment, what is text and what is code. */
function rewrite(text: string, change: (kind: Kind, token: string) => string): string {
  let out = ''
  let offset = 0
  let endsValue = false
  /** For each template that is open around us: how many braces are open inside its `${`. */
  const templates: number[] = []

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = offset
    const match = pattern.exec(text)
    if (match !== null) offset = pattern.lastIndex
    return match
  }
  const takeTemplate = (): void => {
    out += change('text', take(templateText)?.[0] ?? '')
    if (text.startsWith('${', offset)) templates.push(0)
    const end = text.startsWith('${', offset) ? 2 : 1
    out += text.slice(offset, offset + end)
    offset += end
    endsValue = end === 1
  }

  while (offset < text.length) {
    const regex = !endsValue && text[offset] === '/' ? take(regexLiteral) : null
    if (regex !== null) {
      const close = regex[0].lastIndexOf('/')
      out += `/${change('text', regex[0].slice(1, close))}${regex[0].slice(close)}`
      endsValue = true
      continue
    }
    const { groups = {}, 0: token } = take(tokens) ?? { 0: text.slice(offset++) }
    if (groups['comment'] !== undefined) out += change('comment', token)
    else if (groups['string'] !== undefined) {
      out += `${token.charAt(0)}${change('text', token.slice(1, -1))}${token.charAt(0)}`
      endsValue = true
    } else {
      out += change('code', token)
      const inside = templates.at(-1)
      if (token === '`') takeTemplate()
      else if (token === '}' && inside === 0) {
        templates.pop()
        takeTemplate()
      } else {
        if (inside !== undefined && (token === '{' || token === '}'))
          templates[templates.length - 1] = inside + (token === '{' ? 1 : -1)
        if (groups['space'] === undefined)
          endsValue = groups['word'] === undefined ? ')]}'.includes(token) : !operators.has(token)
      }
    }
  }
  return out
}

function blank(token: string): string {
  return token.replace(/[^\n]/g, ' ')
}
