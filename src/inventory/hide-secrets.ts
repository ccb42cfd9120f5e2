import type { SourceText } from './source-text.ts'
import { walk, type YamlNode } from './yaml-node.ts'

/**
 * A file must not contain secrets, but people write them there, and messages must not show them. So whatever looks like a secret is hidden from
 * excerpts while the file is read.
 */
export function hideSecretValue(source: SourceText, key: string, value: YamlNode): void {
  if (value.type === 'scalar' && passwordInAddress.test(String(value.value))) source.hidden.push(value)
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

const passwordInAddress = /:\/\/[^/\s]*@/u
const secretName = /(?:key|password|passwd|pass|token|secret|webhook)$/iu
const secretAssignment = /(?:key|password|passwd|pass|token|secret|webhook)=/iu

function isReference(path: readonly string[], value: unknown): boolean {
  const [sort] = path
  if (sort === 'env') return /^\w+$/u.test(String(value))
  return sort === 'file' || sort === 'command'
}

/** The same for keys that were commented out. */
export function hideSecretComments(source: SourceText): void {
  for (const match of source.text.matchAll(secretComment)) {
    const end = match.index + match[0].length
    hideRest(source, end, match.groups?.['rest'] ?? '')
  }
}

const secretComment = /#.*?(?:key|password|passwd|pass|token|secret|webhook)["']?[ \t]*[:=,](?<rest>.*)/giu

/**
 * The same line by line, for text that is not YAML: hides what follows a name like that of a secret, on its line and on lines with more
 * indentation, unless it is clearly a reference.
 */
export function hideSecretLines(source: SourceText): void {
  let block: Block | undefined
  for (const [index, start] of source.lineStarts.entries()) {
    const line = source.text.slice(start, source.lineStarts[index + 1] ?? source.text.length).trimEnd()
    const text = line.trimStart()
    const indent = line.length - text.length
    if (text === '') continue
    if (block !== undefined && isInside(block, indent, text)) {
      if (!referenceBelow.test(text)) source.hidden.push({ start: start + indent, end: start + line.length })
      block = { indent: block.indent, isOpen: false }
      continue
    }
    const found = secretInLine.exec(line)
    const rest = found?.groups?.['rest'] ?? ''
    block = found === null ? undefined : { indent, isOpen: rest.trim() === '' }
    if (found !== null) hideRest(source, start + found.index + found[0].length, rest)
  }
}

/** The value of a name like that of a secret; open: it may also be on the next line with the same indentation. */
interface Block {
  readonly indent: number
  readonly isOpen: boolean
}

function isInside(block: Block, indent: number, text: string): boolean {
  return indent > block.indent || (block.isOpen && !/^[\w"'-]+\s*:/u.test(text))
}

/** A name, what separates it from its value, and the rest of the line. */
const secretInLine = /(?:key|password|passwd|pass|token|secret|webhook)["']?\s*(?:[:=,](?<rest>.*)|(?<end>$))/iu
const reference = /^\s*(?:\{\s*(?:env:\s*\w+|file:[^{},]*|command:\s*\[[^\]]*\])\s*\}|!vault\b.*)?[\s,}]*(?:#.*)?$/u
const referenceBelow = /^(?:env:\s*\w+|file:.*|command:.*)$/u

function hideRest(source: SourceText, end: number, rest: string): void {
  if (reference.test(rest)) return
  source.hidden.push({ start: end - rest.trimStart().length, end })
}
