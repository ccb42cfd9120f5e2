import { Document, Scalar, stringify, visit } from 'yaml'

const style = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const

/** YAML that parsers of version 1.1 and 1.2 read alike: every text is in double quotes. */
export function quotedYaml(tree: unknown, indent = 2): string {
  const document = new Document(tree)
  visit(document, { Pair: (_, pair) => quoteOddKey(pair.key) })
  return document.toString({ ...style, indent })
}

/** A text as it stands between the double quotes of `quotedYaml`. */
export function insideQuotes(text: string): string {
  return stringify(text, style).trimEnd().slice(1, -1)
}

/** YAML 1.1 reads an environment variable named `ON` or `N` as a boolean. */
function quoteOddKey(key: unknown): void {
  if (key instanceof Scalar && /^(y|n|yes|no|on|off|true|false|null|\d.*)$/i.test(String(key.value))) key.type = 'QUOTE_DOUBLE'
}
