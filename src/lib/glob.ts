type CharTest = (char: string) => boolean
type Token = CharTest | 'star'

/** Whether `text` matches a shell glob, as `compileGlob` reads it. */
export function globMatches(glob: string, text: string): boolean {
  return compileGlob(glob)(text)
}

/** A glob that matches exactly this text. */
export function globOf(text: string): string {
  return text.replace(/[*?[]/g, '[$&]')
}

/**
 * Compiles a shell glob (`*`, `?`, `[abc]`, `[!a-c]`) exactly as Python's `fnmatch` reads it: it matches the whole text and is case-sensitive, an
 * unclosed `[` is literal, and an empty range matches nothing. The time is at most pattern length times text length.
 */
export function compileGlob(glob: string): (name: string) => boolean {
  const tokens = tokenise(Array.from(glob))
  return (name) => matchTokens(tokens, Array.from(name))
}

function tokenise(chars: readonly string[]): readonly Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i]
    const end = char === '[' ? classEnd(chars, i) : -1
    if (end > 0) {
      tokens.push(charClass(chars.slice(i + 1, end)))
      i = end
    } else if (char === '*') tokens.push('star')
    else tokens.push(char === '?' ? () => true : (other) => other === char)
  }
  return tokens
}

/** The index of the bracket that closes the class opened at `open`; a leading `]` is a member. -1: never closed. */
function classEnd(chars: readonly string[], open: number): number {
  return chars.indexOf(']', open + (chars[open + 1] === '!' ? 3 : 2))
}

function charClass(body: readonly string[]): CharTest {
  const negated = body[0] === '!'
  const ranges = classRanges(negated ? body.slice(1) : body)
  return (char) => ranges.some(([low, high]) => low <= code(char) && code(char) <= high) !== negated
}

function classRanges(members: readonly string[]): readonly (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = []
  for (let i = 0; i < members.length; i++) {
    const low = members[i] ?? ''
    const high = members[i + 1] === '-' ? members[i + 2] : undefined
    ranges.push([code(low), code(high ?? low)])
    if (high !== undefined) i += 2
  }
  return ranges
}

function code(char: string): number {
  return char.codePointAt(0) ?? -1
}

/** On a mismatch, only the last star can take one more character: earlier ones are settled. */
function matchTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let token = 0
  let star = -1
  let resume = 0
  for (let i = 0; i < chars.length; ) {
    const test = tokens[token]
    if (test === 'star') {
      star = token++
      resume = i
    } else if (test?.(chars[i] ?? '')) {
      token++
      i++
    } else if (star >= 0) {
      token = star + 1
      i = ++resume
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === 'star')
}
