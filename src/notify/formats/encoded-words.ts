/** Bytes of text in one encoded word: with `Subject: ` before it, its line has at most 76 characters. */
const max = 39

/** Characters of plain text, for the same reason. */
const maxPlain = 65

/**
 * A header value by RFC 2047: plain if it is short ASCII, otherwise in encoded words. Line ends are removed again as a safeguard: they
 * would allow header injection.
 *
 * @param between what separates the words: a space, or the fold of a mail's header
 */
export function encodedWords(text: string, between: string): string {
  const line = text.replace(/[\r\n\0]+/g, ' ').trim()
  if (line.length <= maxPlain && /^[\x20-\x7e]*$/.test(line) && !line.includes('=?')) return line
  const words: string[] = []
  let word = ''
  for (const sign of line) {
    if (Buffer.byteLength(word + sign) > max) {
      words.push(word)
      word = ''
    }
    word += sign
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one, 'utf8').toString('base64')}?=`).join(between)
}
