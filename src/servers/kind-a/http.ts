import { defined } from '../../lib/defined.ts'
import type { HttpDialect, Props, ServerLoad, SlotProgress } from '../http-dialect.ts'
import { field, strings } from '../json-fields.ts'

/** From llama.cpp's server README and observed answers. */
export const http: HttpDialect = {
  answersWhileLoading: true,
  // Health and, in many builds, the model list answer without a key.
  keyPath: '/props',
  requests: { path: '/slots', read: busySlots, load: loadOf, sleepFlag: '--sleep-idle-seconds' },
  props: { path: '/props', read: propsOf },
}

function propsOf(json: unknown): Props | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const nCtx = field(field(json, 'default_generation_settings'), 'n_ctx')
  const [modelPath] = strings([field(json, 'model_path')])
  const [alias] = strings([field(json, 'model_alias')])
  const [build] = strings([field(json, 'build_info')])
  return {
    ...(typeof nCtx === 'number' ? { nCtx } : {}),
    ...defined({ modelPath, alias, build }),
  }
}

function busySlots(json: unknown): number | undefined {
  if (!Array.isArray(json)) return undefined
  return json.filter((slot: unknown) => field(slot, 'is_processing') === true).length
}

/** No server has more. */
const mostSlots = 1000

function loadOf(json: unknown): ServerLoad | undefined {
  const busy = busySlots(json)
  if (!Array.isArray(json) || busy === undefined) return undefined
  return { busy, slots: json.length, written: json.slice(0, mostSlots).flatMap(progressOf) }
}

/** `next_token` is an object, or in later builds a list with one. A slot that is done keeps its last number. */
function progressOf(slot: unknown): readonly SlotProgress[] {
  const next = field(slot, 'next_token')
  const tokens = field(Array.isArray(next) ? next[0] : next, 'n_decoded')
  const [id, task] = [field(slot, 'id'), field(slot, 'id_task')]
  if (!isCount(tokens) || !isCount(id) || !isCount(task)) return []
  return [{ request: `${id}/${task}`, tokens }]
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
