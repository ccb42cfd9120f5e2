/** Codes of colours and weights, as `styleText` writes them. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const styleCode = /\x1b\[(\d+)m/g

/**
 * Colours that only we can make: `seal`, parameters that nobody else knows, stands in each. To whatever measures a text it is a code like any
 * other; `visibleText` takes the seal out again, and shows every code without it as the signs that it is made of.
 */
export function sealed(codes: string, seal: string): string {
  return codes.replace(styleCode, `\x1b[${seal};$1m`)
}

/** Control characters but newline and tab, what turns the direction of writing, and what has no width. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/**
 * Text from elsewhere as it may be shown on a terminal: control characters and signs that turn the writing direction become
 * visible (`\u001b`), so that nothing that a host or a file says can erase or forge a line. Newlines and tabs stay.
 *
 * @param seal of our own colours, which stay; absent: there are none
 */
export function visibleText(text: string, { seal }: { readonly seal?: string } = {}): string {
  const own = seal === undefined ? undefined : `\u001b[${seal};`
  const shown = text.replace(unseen, (sign, at: number) => (own !== undefined && text.startsWith(own, at) ? sign : escaped(sign)))
  return own === undefined ? shown : shown.replaceAll(own, '\u001b[')
}

/** The most of one value that is shown where it stands beside others. */
const longest = 400

/** One value from elsewhere within a line of ours: it begins no line of its own, has no colour, and has an end. */
export function shownLine(text: string): string {
  const visible = visibleText(text).replace(/[\t\n\u2028\u2029]/g, escaped)
  return visible.length <= longest ? visible : `${visible.slice(0, longest)}… (${visible.length} characters)`
}

/** JSON that may be shown on a terminal: the same signs are escaped, as JSON itself does it, so that it is read as it was. */
export function visibleJson(document: unknown, indent = 2): string {
  return visibleInJson(JSON.stringify(document, null, indent))
}

/** JSON text that says the same with these signs escaped. */
export function visibleInJson(json: string): string {
  return json.replace(unseen, escaped)
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
