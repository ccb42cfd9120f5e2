import { parse } from 'yaml'
import { InternalError } from '../../errors/converge-error.ts'
import { insideQuotes, quotedYaml } from '../../lib/quoted-yaml.ts'
import { redactedText, type Secret, type SecretText } from '../../model/secret.ts'
import { type SecretTree, writeClosed } from '../closed-secrets.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

/**
 * A compose file that docker-compose 1.29 (YAML 1.1) and every compose v2 read alike: all texts in double quotes, so that `9990:9990` does
 * not become a sexagesimal number, and each `$` doubled, so that it does not start a variable.
 */
export function composeYaml(comment: readonly string[], root: SecretTree): SecretText {
  const text = writeClosed(root, { text: doubled, write: quotedYaml, secret: keyInside })
  return [`${comment.map((line) => `# ${line}\n`).join('')}\n`, ...text]
}

/**
 * The same for one service of a file that has others: the lines below its key. It must not contain secrets: the file stays one text.
 *
 * @param step spaces that each level is indented
 */
export function composeBlock(root: SecretTree, step: number): string {
  return redactedText(writeClosed(root, { text: doubled, write: (tree) => quotedYaml(tree, step), secret: refuse }))
}

function refuse(): never {
  throw new InternalError('a compose file that has other services cannot hold a key')
}

/** Undefined: not YAML. */
export function parseYaml(content: string): unknown {
  try {
    return parse(content, { merge: true, logLevel: 'silent' })
  } catch {
    return undefined
  }
}

function keyInside(secret: Secret): string | Secret {
  return keyInNotation(secret, controlCharacters, (value) => insideQuotes(doubled(value)))
}

function doubled(text: string): string {
  return text.replaceAll('$', '$$$$')
}
