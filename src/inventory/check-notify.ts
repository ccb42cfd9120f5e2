import { hasBrokenPlaceholder, placeholdersIn } from '../lib/fill-template.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { placeholders } from '../model/notification.ts'
import { didYouMean } from './did-you-mean.ts'
import { issueAt, type SourceRange } from './source-text.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/** What the schema cannot check of `fleet.notify`: one receiver for each entry, fields of its kind, and known placeholders. */
export function checkNotify(list: YamlNode | undefined): readonly InventoryIssue[] {
  return list?.type === 'list' ? list.items.flatMap(checkEntry) : []
}

const receivers = ['webhook', 'command', 'mail']

function checkEntry(node: YamlNode): readonly InventoryIssue[] {
  const entries = entriesOf(node)
  const named = receivers.filter((name) => entries.has(name))
  if (named.length !== 1) {
    const words = named.length === 0 ? 'names no receiver' : `names ${named.map((name) => `\`${name}\``).join(' and ')}`
    return [conflict(node, `This entry of \`notify\` ${words}. It takes exactly one of \`webhook\`, \`command\` and \`mail\`.`)]
  }
  const astray = entries.has('webhook') ? [] : ['format', 'insecure'].flatMap((name) => entries.get(name) ?? [])
  return [
    ...astray.map(({ key }) => conflict(key, `This is only for a webhook, and the entry is a \`${named[0]}\`. Remove it.`)),
    ...['title', 'body'].flatMap((name) => checkTemplate(entries.get(name))),
  ]
}

function checkTemplate(entry: YamlEntry | undefined): readonly InventoryIssue[] {
  if (entry?.value.type !== 'scalar') return []
  const text = String(entry.value.value)
  const unknown = placeholdersIn(text).filter((name) => !placeholders.some((known) => known === name))
  const known = placeholders.map((name) => `{{${name}}}`).join(' ')
  const words = [
    ...unknown.map(
      (name) => `\`{{${name}}}\` is not a placeholder.${didYouMean(name, placeholders)} The placeholders are: ${known}`,
    ),
    ...(hasBrokenPlaceholder(text) ? [`\`{{\` starts a placeholder that is not closed. The placeholders are: ${known}`] : []),
  ]
  return words.map((sentence) => issueAt(entry.value, 'error', 'INPUT.TEMPLATE', sentence))
}

function conflict(range: SourceRange, words: string): InventoryIssue {
  return issueAt(range, 'error', 'INPUT.CONFLICT', words)
}
