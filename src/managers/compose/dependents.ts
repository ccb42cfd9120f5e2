import { isObject } from '../../lib/json-object.ts'
import type { RenderInput } from '../manager.ts'
import { serviceKey } from './names.ts'
import { valuesOf } from './shared-block.ts'

/** A service of the same file that lives in the container of this one: a new container would leave it without network or volumes. Undefined: none. */
export function dependentOn({ service, around }: Pick<RenderInput, 'service' | 'around'>): string | undefined {
  const root = around === undefined ? undefined : valuesOf(around.text)
  const services = isObject(root) && isObject(root['services']) ? root['services'] : {}
  const key = serviceKey(service)
  return Object.entries(services).find(([, block]) => isObject(block) && uses(block, key))?.[0]
}

function uses({ volumes_from: volumes, ...modes }: Readonly<Record<string, unknown>>, key: string): boolean {
  const shares = ['network_mode', 'pid', 'ipc'].some((name) => modes[name] === `service:${key}`)
  return shares || (Array.isArray(volumes) && volumes.some((one) => one === key || String(one).startsWith(`${key}:`)))
}
