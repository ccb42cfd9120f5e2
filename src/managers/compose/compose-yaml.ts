import { Document, parse, Scalar, stringify, visit } from 'yaml'
import { Secret, type SecretText } from '../../model/secret.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

export type YamlNode = string | number | boolean | Secret | readonly YamlNode[] | { readonly [key: string]: YamlNode }

/**
 * A compose file that docker-compose 1.29 (YAML 1.1) and every compose v2 read as the same thing: each text in double quotes, so
 * that no `9990:9990` becomes a sexagesimal number, and each `$` doubled, so that none is taken for a variable.
 */
export function composeYaml(comment: readonly string[], root: YamlNode): SecretText {
  const secrets: Secret[] = []
  const token = freeToken(JSON.stringify(root))
  const plain = mapTexts(root, (leaf) => {
    if (typeof leaf === 'string') return doubled(leaf)
    secrets.push(leaf)
    return `${token}${secrets.length - 1}`
  })
  const document = new Document(plain)
  visit(document, { Pair: (_, pair) => quoteOddKey(pair.key) })
  const pieces = document.toString(style).split(new RegExp(`${token}(\\d+)(?=")`))
  const text = pieces.map((piece, index) => (index % 2 === 0 ? piece : insideQuotes(secrets[Number(piece)])))
  return [`${comment.map((line) => `# ${line}\n`).join('')}\n`, ...text]
}

/** Undefined for what is not YAML. */
export function parseYaml(content: string): unknown {
  try {
    return parse(content, { merge: true, logLevel: 'silent' })
  } catch {
    return undefined
  }
}

const style = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const

function insideQuotes(secret: Secret | undefined): string | Secret {
  if (secret === undefined) return ''
  return keyInNotation(secret, controlCharacters, (value) => stringify(doubled(value), style).trimEnd().slice(1, -1))
}

function doubled(text: string): string {
  return text.replaceAll('$', '$$$$')
}

function mapTexts(node: YamlNode, map: (leaf: string | Secret) => string): unknown {
  if (typeof node === 'string' || node instanceof Secret) return map(node)
  if (typeof node !== 'object') return node
  if (isList(node)) return node.map((item) => mapTexts(item, map))
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapTexts(value, map)]))
}

function isList(node: readonly YamlNode[] | { readonly [key: string]: YamlNode }): node is readonly YamlNode[] {
  return Array.isArray(node)
}

/** A word that stands nowhere in the text, so that what takes its place is what was meant. */
function freeToken(text: string): string {
  let token = '@key-'
  while (text.includes(token)) token = `@${token}`
  return token
}

/** An environment variable called `ON` or `N` is a boolean to YAML 1.1. */
function quoteOddKey(key: unknown): void {
  if (key instanceof Scalar && /^(y|n|yes|no|on|off|true|false|null|\d.*)$/i.test(String(key.value))) key.type = 'QUOTE_DOUBLE'
}
