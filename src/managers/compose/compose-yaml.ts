import { Document, parse, Scalar, stringify, visit } from 'yaml'
import { InternalError } from '../../errors/converge-error.ts'
import { redactedText, type Secret, type SecretText } from '../../model/secret.ts'
import { type PlainTree, type SecretTree, writeClosed } from '../closed-secrets.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

/**
 * A compose file that docker-compose 1.29 (YAML 1.1) and every compose v2 read alike: all texts in double quotes, so that `9990:9990` does
 * not become a sexagesimal number, and each `$` doubled, so that it does not start a variable.
 */
export function composeYaml(comment: readonly string[], root: SecretTree): SecretText {
  const text = writeClosed(root, { text: doubled, write: yamlOf, secret: insideQuotes })
  return [`${comment.map((line) => `# ${line}\n`).join('')}\n`, ...text]
}

/**
 * The same for one service of a file that has others: the lines below its key. It must not contain secrets: the file stays one text.
 *
 * @param step spaces that each level is indented
 */
export function composeBlock(root: SecretTree, step: number): string {
  return redactedText(writeClosed(root, { text: doubled, write: (tree) => yamlOf(tree, step), secret: refuse }))
}

function refuse(): never {
  throw new InternalError('a compose file that has other services cannot hold a key')
}

function yamlOf(tree: PlainTree, indent = 2): string {
  const document = new Document(tree)
  visit(document, { Pair: (_, pair) => quoteOddKey(pair.key) })
  return document.toString({ ...style, indent })
}

/** Undefined: not YAML. */
export function parseYaml(content: string): unknown {
  try {
    return parse(content, { merge: true, logLevel: 'silent' })
  } catch {
    return undefined
  }
}

const style = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const

function insideQuotes(secret: Secret): string | Secret {
  return keyInNotation(secret, controlCharacters, (value) => stringify(doubled(value), style).trimEnd().slice(1, -1))
}

function doubled(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** YAML 1.1 reads an environment variable named `ON` or `N` as a boolean. */
function quoteOddKey(key: unknown): void {
  if (key instanceof Scalar && /^(y|n|yes|no|on|off|true|false|null|\d.*)$/i.test(String(key.value))) key.type = 'QUOTE_DOUBLE'
}
