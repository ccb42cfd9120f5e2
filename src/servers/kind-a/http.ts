import { defined } from '../../lib/defined.ts'
import type { HttpDialect, Props } from '../http-dialect.ts'
import { field, strings } from '../json-fields.ts'

/** From llama.cpp's server README and observed answers. */
export const http: HttpDialect = {
  answersWhileLoading: true,
  // Health and, in many builds, the model list answer without a key.
  keyPath: '/props',
  requests: { path: '/slots', read: busySlots },
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
