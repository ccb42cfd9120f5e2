import type { RequestKind } from '../model/names.ts'
import { field } from '../servers/json-fields.ts'
import { completionTokens, hasChoice, numbersIn } from './read-answers.ts'

interface AnswerKind {
  readonly article: 'a' | 'an'
  readonly name: string
  /** What the answer contains, for people; undefined: it is none of this kind. */
  readonly judge: (answer: unknown, body: Readonly<Record<string, unknown>>) => string | undefined
}

/** What a server answers to each kind of request, as OpenAI's API (chat, embedding) and Jina's (rerank) have it. */
export const answerKinds: Readonly<Record<RequestKind, AnswerKind>> = {
  chat: { article: 'a', name: 'completion', judge: judgeChat },
  embedding: { article: 'an', name: 'embedding', judge: judgeEmbedding },
  rerank: { article: 'a', name: 'ranking', judge: judgeRanking },
}

function judgeChat(answer: unknown): string | undefined {
  if (!hasChoice(answer)) return undefined
  const tokens = completionTokens(answer)
  return tokens === undefined || tokens < 1 ? 'answered without text' : counted(tokens, 'token')
}

/** A vector of numbers. One of a broken model has `null` for each number that is none. */
function judgeEmbedding(answer: unknown): string | undefined {
  const data = field(answer, 'data')
  const numbers = Array.isArray(data) ? numbersIn(field(data[0], 'embedding')) : undefined
  return numbers === undefined || numbers === 0 ? undefined : counted(numbers, 'dimension')
}

/** A score for each document. */
function judgeRanking(answer: unknown, { documents }: Readonly<Record<string, unknown>>): string | undefined {
  const results = field(answer, 'results')
  const scores = Array.isArray(results) ? numbersIn(results.map((one: unknown) => field(one, 'relevance_score'))) : undefined
  const asked = Array.isArray(documents) ? documents.length : 0
  return scores === asked ? `${counted(asked, 'document')} ranked` : undefined
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
