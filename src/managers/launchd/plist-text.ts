import { build, type PlistValue, parse } from 'plist'
import { Secret, type SecretText } from '../../model/secret.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

export type PlistNode = string | number | boolean | Secret | readonly PlistNode[] | { readonly [key: string]: PlistNode }

/** A property list in XML, its comment in front of the first element; keys stay closed in it. */
export function plistText(comment: readonly string[], root: PlistNode): SecretText {
  const secrets: Secret[] = []
  const token = freeToken(JSON.stringify(root))
  const plain = withoutSecrets(root, (secret) => {
    secrets.push(secret)
    return `${token}${secrets.length - 1}${token}`
  })
  const xml = build(plain, { indent: '\t' }).replace(/^<plist /m, `${comment.map(commentLine).join('')}<plist `)
  return `${xml}\n`
    .split(new RegExp(`${token}(\\d+)${token}`))
    .map((piece, index) => (index % 2 === 0 ? piece : inElement(secrets[Number(piece)])))
}

/** Undefined for what is no property list in XML. */
export function parsePlist(content: string): PlistValue | undefined {
  // What it cannot read, the parser writes to the terminal.
  if (!/<plist[\s>]/.test(content) || !content.includes('</plist>')) return undefined
  try {
    return parse(content)
  } catch {
    return undefined
  }
}

/** Two hyphens in a row would end a comment too early for some parsers. */
function commentLine(line: string): string {
  return `<!-- ${line.replaceAll('--', '- -')} -->\n`
}

function inElement(secret: Secret | undefined): string | Secret {
  if (secret === undefined) return ''
  return keyInNotation(secret, controlCharacters, escaped)
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function withoutSecrets(node: PlistNode, hide: (secret: Secret) => string): PlistValue {
  if (node instanceof Secret) return hide(node)
  if (typeof node !== 'object') return node
  if (isList(node)) return node.map((item) => withoutSecrets(item, hide))
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutSecrets(value, hide)]))
}

function isList(node: readonly PlistNode[] | { readonly [key: string]: PlistNode }): node is readonly PlistNode[] {
  return Array.isArray(node)
}

/** A word that stands nowhere in the text, and that XML leaves as it is. */
function freeToken(text: string): string {
  let token = '@key@'
  while (text.includes(token)) token = `@${token}`
  return token
}
