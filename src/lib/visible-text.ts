/** The style codes of `styleText`. */
// oxlint-disable-next-line no-control-regex -- the pattern is about control characters
const styleCode = /\x1b\[(\d+)m/g

/**
 * Style codes that only converge can write: each contains `seal`, secret parameters. For code that measures text, they are codes like any other.
 * `visibleText` removes the seal, and shows every code without it as visible characters.
 */
export function sealed(codes: string, seal: string): string {
  return codes.replace(styleCode, `\x1b[${seal};$1m`)
}

/** Control characters except newline and tab, bidirectional controls, and characters without width. */
// oxlint-disable-next-line no-control-regex -- the pattern is about control characters
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/**
 * Untrusted text, safe for a terminal: control characters and bidirectional controls become visible (`\u001b`), so that the text of a host or a file
 * cannot erase or forge a line. Newlines and tabs stay.
 *
 * @param seal the seal of our own style codes, which stay; absent: there are none
 */
export function visibleText(text: string, { seal }: { readonly seal?: string } = {}): string {
  const own = seal === undefined ? undefined : `\u001b[${seal};`
  const shown = text.replace(unseen, (sign, at: number) => (own !== undefined && text.startsWith(own, at) ? sign : escaped(sign)))
  return own === undefined ? shown : shown.replaceAll(own, '\u001b[')
}

/** Such characters in a JSON text, as they are or escaped. */
const unseenInJson = new RegExp(`\\\\[bfru]|${unseen.source}`)

/** Whether no string in a JSON text has characters that `visibleText` would change. Several times as fast as asking each; false if in doubt. */
export function isVisibleJson(json: string): boolean {
  return !unseenInJson.test(json)
}

/** The most characters of one value in a line. */
const longest = 400

/** One untrusted value within a line: without line breaks and colours, and of limited length. */
export function shownLine(text: string): string {
  const visible = visibleText(text).replace(/[\t\n\u2028\u2029]/g, escaped)
  return visible.length <= longest ? visible : `${visible.slice(0, longest)}… (${visible.length} characters)`
}

/** JSON that is safe for a terminal: the same characters are JSON-escaped, so it parses to the same value. */
export function visibleJson(document: unknown, indent = 2): string {
  return visibleInJson(JSON.stringify(document, null, indent))
}

/** The same JSON with these characters escaped. */
export function visibleInJson(json: string): string {
  return json.replace(unseen, escaped)
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
