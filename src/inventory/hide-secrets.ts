import type { SourceText } from './source-text.ts'
import { walk, type YamlNode } from './yaml-node.ts'

/**
 * A secret must not stand in a file, but people write it there, and then the message about it must not show it. So whatever looks
 * like a secret is hidden from excerpts while the file is read.
 */
export function hideSecretValue(source: SourceText, key: string, value: YamlNode): void {
  if (!secretName.test(key)) return
  walk(value, (node, path) => {
    if (node.type === 'scalar' && node.tag !== 'vault' && !isReference(path, node.value)) source.hidden.push(node)
  })
}

/** The value behind `--api-key` and its like in a list of arguments, as its own element or after `=`. */
export function hideSecretArguments(source: SourceText, items: readonly YamlNode[]): void {
  for (const [index, item] of items.entries()) {
    const previous = items[index - 1]
    if (previous?.type === 'scalar' && secretName.test(String(previous.value))) source.hidden.push(item)
    if (item.type === 'scalar' && secretAssignment.test(String(item.value))) source.hidden.push(item)
  }
}

const secretName = /(?:key|password|passwd|pass|token|secret)$/iu
const secretAssignment = /(?:key|password|passwd|pass|token|secret)=/iu

function isReference(path: readonly string[], value: unknown): boolean {
  const [sort] = path
  if (sort === 'env') return /^\w+$/u.test(String(value))
  return sort === 'file' || sort === 'command'
}
