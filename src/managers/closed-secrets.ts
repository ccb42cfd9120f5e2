import { Secret, type SecretText } from '../model/secret.ts'

/** What a definition is made of before it is written in its notation. */
export type SecretTree = string | number | boolean | Secret | readonly SecretTree[] | { readonly [key: string]: SecretTree }

/** The same without secrets. */
export type PlainTree = string | number | boolean | PlainTree[] | { [key: string]: PlainTree }

/** How a notation writes things down. */
export interface Notation {
  /** A text before it is written; default: as it is. */
  readonly text?: (text: string) => string
  readonly write: (tree: PlainTree) => string
  /** A secret as it stands in what was written. */
  readonly secret: (secret: Secret) => string | Secret
}

/** Writes a tree whose secrets stay closed: a word stands for each while it is written, and makes way for it afterwards. */
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

/** A word that stands nowhere in the tree, and that every notation leaves as it is. */
function freeToken(text: string): string {
  let token = '@key@'
  while (text.includes(token)) token = `@${token}`
  return token
}
