import type { HttpFact } from '../model/http-fact.ts'

/** Pure readers of what the two kinds of servers answer; whatever is not there is undefined. Shapes: llama.cpp's server README, and answers of both programs as they were seen. */

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

/** Kind A `/props`. */
export function propsOf(json: unknown): Props | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const nCtx = field(field(json, 'default_generation_settings'), 'n_ctx')
  const [modelPath] = strings([field(json, 'model_path')])
  const [alias] = strings([field(json, 'model_alias')])
  const [build] = strings([field(json, 'build_info')])
  return {
    ...(typeof nCtx === 'number' ? { nCtx } : {}),
    ...(modelPath === undefined ? {} : { modelPath }),
    ...(alias === undefined ? {} : { alias }),
    ...(build === undefined ? {} : { build }),
  }
}

/** Kind A `/slots`: how many work on a request. */
export function busySlots(json: unknown): number | undefined {
  if (!Array.isArray(json)) return undefined
  return json.filter((slot: unknown) => field(slot, 'is_processing') === true).length
}

/** Kind B `/health` with the key: requests running and waiting, and chats finished since the start. */
export function schedulerOf(json: unknown): { busy: number; completed: number } | undefined {
  const scheduler = field(json, 'scheduler')
  const [active, queued, completed] = ['active', 'queued', 'completed'].map((name) => field(scheduler, name))
  if (typeof active !== 'number' || typeof queued !== 'number' || typeof completed !== 'number') return undefined
  return { busy: active + queued, completed }
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

type Props = Extract<HttpFact['props'], { readonly known: true }>['value']

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
