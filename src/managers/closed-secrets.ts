import { Secret, type SecretText } from '../model/secret.ts'

/** A definition as data, before it is written in its notation. */
export type SecretTree = string | number | boolean | Secret | readonly SecretTree[] | { readonly [key: string]: SecretTree }

/** The same without secrets. */
export type PlainTree = string | number | boolean | PlainTree[] | { [key: string]: PlainTree }

/** How to write a notation. */
export interface Notation {
  /** Escapes a text before it is written; default: unchanged. */
  readonly text?: (text: string) => string
  readonly write: (tree: PlainTree) => string
  /** A secret as it appears in the output. */
  readonly secret: (secret: Secret) => string | Secret
}

/** Writes a tree without opening its secrets: a placeholder stands for each while writing, and is then replaced. */
export function writeClosed(root: SecretTree, { text = (same) => same, write, secret }: Notation): SecretText {
  const secrets: Secret[] = []
  const token = freeToken(JSON.stringify(root))
  const plain = mapTexts(root, (leaf) => {
    if (typeof leaf === 'string') return text(leaf)
    secrets.push(leaf)
    return `${token}${secrets.length - 1}${token}`
  })
  return write(plain)
    .split(new RegExp(`${token}(\\d+)${token}`))
    .map((piece, index) => {
      const found = index % 2 === 0 ? undefined : secrets[Number(piece)]
      return found === undefined ? piece : secret(found)
    })
}

function mapTexts(node: SecretTree, map: (leaf: string | Secret) => string): PlainTree {
  if (typeof node === 'string' || node instanceof Secret) return map(node)
  if (typeof node !== 'object') return node
  if (isList(node)) return node.map((item) => mapTexts(item, map))
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapTexts(value, map)]))
}

function isList(node: readonly SecretTree[] | { readonly [key: string]: SecretTree }): node is readonly SecretTree[] {
  return Array.isArray(node)
}

/** A placeholder that occurs nowhere in the tree and that no notation escapes. */
function freeToken(text: string): string {
  let token = '@key@'
  while (text.includes(token)) token = `@${token}`
  return token
}
