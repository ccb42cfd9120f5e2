import { hasBrokenPlaceholder, placeholdersIn } from '../lib/fill-template.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { placeholders } from '../model/notification.ts'
import { didYouMean } from './did-you-mean.ts'
import { issueAt, type SourceRange } from './source-text.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/** What the schema cannot say about `fleet.notify`: who is meant, what belongs to whom, and which placeholders there are. */
export function checkNotify(list: YamlNode | undefined): readonly InventoryIssue[] {
  return list?.type === 'list' ? list.items.flatMap(checkEntry) : []
}

const ways = ['webhook', 'command', 'mail']

function checkEntry(node: YamlNode): readonly InventoryIssue[] {
  const entries = entriesOf(node)
  const named = ways.filter((name) => entries.has(name))
  if (named.length !== 1) {
    const words = named.length === 0 ? 'names nobody' : `names ${named.map((name) => `\`${name}\``).join(' and ')}`
    return [conflict(node, `This entry of \`notify\` ${words}. It takes exactly one of \`webhook\`, \`command\` and \`mail\`.`)]
  }
  const astray = entries.has('webhook') ? [] : ['format', 'insecure'].flatMap((name) => entries.get(name) ?? [])
  return [
    ...astray.map(({ key }) => conflict(key, `It is about webhooks, and this is a \`${named[0]}\`. Take it out.`)),
    ...['title', 'body'].flatMap((name) => checkTemplate(entries.get(name))),
  ]
}

function checkTemplate(entry: YamlEntry | undefined): readonly InventoryIssue[] {
  if (entry?.value.type !== 'scalar') return []
  const text = String(entry.value.value)
  const unknown = placeholdersIn(text).filter((name) => !placeholders.some((known) => known === name))
  const known = placeholders.map((name) => `{{${name}}}`).join(' ')
  const words = [
    ...unknown.map((name) => `\`{{${name}}}\` stands for nothing.${didYouMean(name, placeholders)} There are: ${known}`),
    ...(hasBrokenPlaceholder(text) ? [`\`{{\` begins a placeholder that does not end. There are: ${known}`] : []),
  ]
  return words.map((sentence) => issueAt(entry.value, 'error', 'INPUT.TEMPLATE', sentence))
}

function conflict(range: SourceRange, words: string): InventoryIssue {
  return issueAt(range, 'error', 'INPUT.CONFLICT', words)
}
