import { field, strings } from '../servers/json-fields.ts'

/** Pure readers for answers of all kinds of servers; missing values are undefined. */

/** No server has more models, or longer names. */
const mostNames = 1000
const longestName = 500

/**
 * Every name in a model list: `data[].id` and `data[].aliases[]`; undefined if it is not a model list. Overlong names are skipped, to bound what
 * is stored about a host.
 */
export function modelNames(json: unknown): readonly string[] | undefined {
  const data = field(json, 'data')
  if (!Array.isArray(data)) return undefined
  const names = data.flatMap((entry: unknown) => strings([field(entry, 'id')]).concat(strings(field(entry, 'aliases'))))
  return [...new Set(names.filter((name) => name.length <= longestName))].slice(0, mostNames)
}

/** Number of tokens that a completion reports; undefined if missing. */
export function completionTokens(json: unknown): number | undefined {
  const tokens = field(field(json, 'usage'), 'completion_tokens')
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) ? tokens : undefined
}

/** Whether it is a chat completion: its text may be empty, with a thinking model or an early stop token. */
export function hasChoice(json: unknown): boolean {
  const choices = field(json, 'choices')
  const message = Array.isArray(choices) ? field(choices[0], 'message') : undefined
  return typeof message === 'object' && message !== null
}

/** How many numbers a list has; undefined if it is no list, or has anything else. */
export function numbersIn(json: unknown): number | undefined {
  return Array.isArray(json) && json.every((one) => typeof one === 'number' && Number.isFinite(one)) ? json.length : undefined
}
