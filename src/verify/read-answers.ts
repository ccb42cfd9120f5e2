import { field, strings } from '../servers/json-fields.ts'

/** Pure readers of what servers of every kind answer; whatever is not there is undefined. */

/** No server has more models, nor longer names for them. */
const mostNames = 1000
const longestName = 500

/**
 * Every name a model list offers: `data[].id` and `data[].aliases[]`; undefined when it is no model list. Names beyond any that people give
 * are left out: what is kept of a host has its bounds.
 */
export function modelNames(json: unknown): readonly string[] | undefined {
  const data = field(json, 'data')
  if (!Array.isArray(data)) return undefined
  const names = data.flatMap((entry: unknown) => strings([field(entry, 'id')]).concat(strings(field(entry, 'aliases'))))
  return [...new Set(names.filter((name) => name.length <= longestName))].slice(0, mostNames)
}

/** Tokens a completion says it made; undefined when it does not say. */
export function completionTokens(json: unknown): number | undefined {
  const tokens = field(field(json, 'usage'), 'completion_tokens')
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) ? tokens : undefined
}

/** Whether it is a chat completion at all: its text may be empty, a thinking model or an early stop token leaves it so. */
export function hasChoice(json: unknown): boolean {
  const choices = field(json, 'choices')
  const message = Array.isArray(choices) ? field(choices[0], 'message') : undefined
  return typeof message === 'object' && message !== null
}
