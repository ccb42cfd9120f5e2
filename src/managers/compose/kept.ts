import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Service } from '../../model/fleet.ts'
import type { SharedFile } from '../manager.ts'
import { partsOfBlock } from './parts-of-block.ts'
import { blockValue } from './shared-block.ts'

/** What a new block of a service takes over from the present one, because other services or people may use it. */
export interface Kept {
  /** The port that the server listens on in its container. */
  readonly port?: number
  /** The name of the container, if the file has it. */
  readonly name?: string
}

export function keptOf(service: Service, around: SharedFile | undefined): Kept {
  return around === undefined || service.file === undefined ? {} : keptIn(around)(service)
}

const keptIn = oncePerObject((around: SharedFile) =>
  oncePerObject((service: Service): Kept => {
    const block = blockValue(around.text, service)
    if (block === undefined) return {}
    const { ports } = partsOfBlock(block, '/')
    const [mapping] = ports
    const name = block['container_name']
    return {
      ...(ports.length === 1 && mapping !== undefined ? { port: Number(mapping.target) } : {}),
      ...(typeof name === 'string' && !name.includes('$') ? { name } : {}),
    }
  }),
)
