import { nearest } from '../../inventory/did-you-mean.ts'
import { topics } from '../topics/index.ts'
import { otherWords } from './other-words.ts'

/** What a person most likely meant by a word that is no verb. */
export function wordHint(word: string, verbs: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase()
  if (Object.hasOwn(topics, wanted)) return [topicHint(wanted)]
  const others = new Map(otherWords.flatMap(({ words, hint }) => words.split(' ').map((other) => [other, hint] as const)))
  const exact = others.get(wanted)
  if (exact !== undefined) return [exact]
  const meant = nearest(wanted, [...verbs, ...Object.keys(topics), ...others.keys()])
  if (meant === undefined) return []
  if (verbs.includes(meant)) return [`Did you mean \`converge ${meant}\`?`]
  return [others.get(meant) ?? topicHint(meant)]
}

function topicHint(topic: string): string {
  return `\`converge help ${topic}\` explains that.`
}
