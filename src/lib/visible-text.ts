/** Our own colours (`styleText`): no cursor movement, no hidden text, no titles. */
// oxlint-disable-next-line no-control-regex -- it is what it is about
const ownColours = /^\x1b\[(?:[0-2]|22|3[0-79])m/

/**
 * Text from elsewhere as it may be shown on a terminal: control characters and signs that turn the writing direction become
 * visible (`\u001b`), so that nothing that a host or a file says can erase or forge a line. Newlines and tabs stay.
 *
 * @param colours leaves the colours that we use ourselves
 */
export function visibleText(text: string, { colours }: { readonly colours: boolean }): string {
  // oxlint-disable-next-line no-control-regex -- they are what it is about
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (sign, at: number) =>
    colours && sign === '\u001b' && ownColours.test(text.slice(at, at + 6)) ? sign : escaped(sign),
  )
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
