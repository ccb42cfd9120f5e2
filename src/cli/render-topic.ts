import type { Help } from '@commander-js/extra-typings'
import { sentence } from '../lib/sentence.ts'
import type { TopicEntry } from './topics/index.ts'
import type { Topic, TopicBlock } from './topics/topic.ts'

/** A topic as `converge help TOPIC` prints it, in the layout of `--help`. @param help knows the width of the terminal */
export function renderTopic({ summary }: TopicEntry, topic: Topic, help: Help): string {
  return `${[sentence(summary), ...topic].map((block) => renderBlock(block, help)).join('\n\n')}\n`
}

function renderBlock(block: TopicBlock, help: Help): string {
  if (typeof block === 'string') return help.boxWrap(block, help.helpWidth ?? 80)
  if ('code' in block) return block.code.replace(/^/gm, '  ')
  const width = Math.max(...block.rows.map(([term]) => term.length))
  return block.rows.map(([term, words]) => help.formatItem(term, width, words, help)).join('\n')
}
