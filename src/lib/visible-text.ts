/** Our own colours (`styleText`): no cursor movement, no hidden text, no titles. */
// oxlint-disable-next-line no-control-regex -- it is what it is about
const ownColours = /^\x1b\[(?:[0-2]|22|3[0-79])m/

/** Control characters but newline and tab, and what turns the direction of writing. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Text from elsewhere as it may be shown on a terminal: control characters and signs that turn the writing direction become
 * visible (`\u001b`), so that nothing that a host or a file says can erase or forge a line. Newlines and tabs stay.
 *
 * @param colours leaves the colours that we use ourselves
 */
export function visibleText(text: string, { colours }: { readonly colours: boolean }): string {
  return text.replace(unseen, (sign, at: number) =>
    colours && sign === '\u001b' && ownColours.test(text.slice(at, at + 6)) ? sign : escaped(sign),
  )
}

/** The most of one value that is shown where it stands beside others. */
const longest = 400

/** One value from elsewhere within a line of ours: it begins no line of its own, has no colour, and has an end. */
export function shownLine(text: string): string {
  const visible = visibleText(text, { colours: false }).replace(/[\t\n\u2028\u2029]/g, escaped)
  return visible.length <= longest ? visible : `${visible.slice(0, longest)}… (${visible.length} characters)`
}

/** JSON that may be shown on a terminal: the same signs are escaped, as JSON itself does it, so that it is read as it was. */
export function visibleJson(document: unknown): string {
  return JSON.stringify(document, null, 2).replace(unseen, escaped)
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
