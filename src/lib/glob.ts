/** Whether `text` matches a shell glob (`*`, `?`, `[abc]`, `[!abc]`), case-sensitive, the whole text, as Python's `fnmatch`. */
export function globMatches(glob: string, text: string): boolean {
  return globToRegExp(glob).test(text)
}

/** A glob that matches this text and nothing else. */
export function globOf(text: string): string {
  return text.replace(/[*?[]/g, '[$&]')
}

function globToRegExp(glob: string): RegExp {
  let source = ''
  for (let i = 0; i < glob.length; i++) {
    const char = glob.charAt(i)
    if (char === '*') source += '[^]*'
    else if (char === '?') source += '[^]'
    else if (char === '[') {
      const end = glob.indexOf(']', glob.charAt(i + 1) === '!' ? i + 3 : i + 2)
      if (end < 0) source += '\\['
      else {
        source += characterClass(glob.slice(i + 1, end))
        i = end
      }
    } else source += char.replace(/[\\^$.|+(){}\]/]/g, '\\$&')
  }
  return new RegExp(`^${source}$`, 'u')
}

function characterClass(body: string): string {
  const negated = body.startsWith('!')
  // A range the wrong way round holds nothing, as in Python's `fnmatch`.
  const ranges = (negated ? body.slice(1) : body).replace(/(.)-(.)/gs, (range, from: string, to: string) =>
    from <= to ? range : '',
  )
  const members = ranges.replace(/[\\\]^]/g, '\\$&')
  if (members === '') return negated ? '[^]' : '(?!)'
  return `[${negated ? '^' : ''}${members}]`
}
