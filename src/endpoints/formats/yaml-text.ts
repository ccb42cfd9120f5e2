import { insideQuotes, quotedYaml } from '../../lib/quoted-yaml.ts'
import { visibleInJson } from '../../lib/visible-text.ts'
import { type SecretTree, writeClosed } from '../../managers/closed-secrets.ts'
import { controlCharacters, keyInNotation } from '../../managers/key-text.ts'
import type { SecretText } from '../../model/secret.ts'

/** YAML for the parsers of all clients, under comment lines. Invisible characters are escaped. */
export function yamlText(head: readonly string[], root: SecretTree): SecretText {
  const body = writeClosed(root, {
    write: (tree) => visibleInJson(quotedYaml(tree)),
    secret: (key) => keyInNotation(key, controlCharacters, (value) => visibleInJson(insideQuotes(value))),
  })
  return [commented(head), ...body]
}

/** Each line behind a `#`. */
export function commented(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join('')
}
