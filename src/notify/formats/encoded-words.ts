/** Bytes of text in one encoded word: with `Subject: ` before it, its line has no more than 76 characters. */
const most = 39

/** Signs of plain text, for the same reason. */
const maxPlain = 65

/**
 * A header's value by RFC 2047: as it is where it is plain ASCII on one short line, else in encoded words. Line ends are long gone by
 * then and are taken out once more, for a header that ends early lets whoever chose its text write the next one.
 *
 * @param between what separates the words: a space, or the fold of a mail's header
 */
export function encodedWords(text: string, between: string): string {
  const line = text.replace(/[\r\n\0]+/g, ' ').trim()
  if (line.length <= maxPlain && /^[\x20-\x7e]*$/.test(line) && !line.includes('=?')) return line
  const words: string[] = []
  let word = ''
  for (const sign of line) {
    if (Buffer.byteLength(word + sign) > most) {
      words.push(word)
      word = ''
    }
    word += sign
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one, 'utf8').toString('base64')}?=`).join(between)
}
