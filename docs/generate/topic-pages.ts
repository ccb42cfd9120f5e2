import { type TopicEntry, topics } from '../../src/cli/topics/index.ts'
import type { TopicBlock } from '../../src/cli/topics/topic.ts'
import { sentence } from '../../src/lib/sentence.ts'
import { code, codeBlock, type Page, prose, table } from './markdown.ts'

/** By topic: where a page leads that a terminal cannot. */
const further: Readonly<Record<string, string>> = {
  patterns: '[Recover](../recover.md#finish-an-interrupted-run) uses `@failed` and `@unreached`.',
  approvals: '[Codes](codes.md#refusals) lists every refusal. [Apply](../apply.md) shows a plan with one.',
  secrets:
    '[Secrets](../secrets.md) shows how to use them. [Recipes](../cookbook.md#read-a-key-from-a-password-manager) read keys from password managers.',
  'exit-codes': '[Codes](codes.md#errors) lists the exit code of each error.',
}

/** The same words as `converge help TOPIC`, by the names of the pages' files. */
export async function topicPages(): Promise<Readonly<Record<string, Page>>> {
  const pages = Object.entries(topics).map(async ([name, entry]) => [`${name}.md`, await pageOf(name, entry)] as const)
  return Object.fromEntries(await Promise.all(pages))
}

async function pageOf(name: string, { title, summary, load }: TopicEntry): Promise<Page> {
  const { topic } = await load()
  const help = `\`converge help ${name}\` prints this page.`
  const last = [further[name] ?? [], help].flat().join(' ')
  return { title, about: prose(sentence(summary)), blocks: [...topic.map(blockOf), last] }
}

function blockOf(block: TopicBlock): string {
  if (typeof block === 'string') return prose(block)
  if ('code' in block) return codeBlock(block.code, block.language)
  return table(
    block.head,
    block.rows.map(([term, words]) => [code(term), prose(words)]),
  )
}
