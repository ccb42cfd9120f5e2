import type { ModelFiles } from '../../model/facts.ts'
import { type Observed, unknown } from '../../model/observed.ts'
import { loadsFolder } from '../../servers/traits.ts'
import type { JudgedModel } from './judge-host.ts'
import { isComing } from './neighbours.ts'
import type { Listing } from './order.ts'
import type { FileOnHost } from './state.ts'

/**
 * A model of Kind A as it will be after its download, from the hub's listing and the header of its first file. Undefined: nothing is missing,
 * or not enough is known.
 *
 * @param there the files at its path now
 */
export function expectedModel({ about, verdict }: JudgedModel, there: Observed<ModelFiles | null>): ModelFiles | undefined {
  const { model, listing } = about
  const { files, commit } = verdict
  if (loadsFolder(model.kind) || listing === undefined || 'code' in listing || listing.commit !== commit) return undefined
  const [first] = files
  if (first === undefined || !files.some(isComing) || files.some(({ state }) => state === 'other')) return undefined
  const header = there.known && there.value !== null ? there.value.header : headerAtHub(listing, first)
  if (header === undefined) return undefined
  return {
    path: model.path,
    type: 'file',
    files: files.map(({ path, bytes }) => ({ path, bytes })),
    shards: files.length,
    missing: [],
    unfinished: [],
    header,
    cachedBytes: unknown('not-gathered', 'it does not exist yet'),
  }
}

function headerAtHub({ starts }: Listing, { name }: FileOnHost): ModelFiles['header'] | undefined {
  const start = starts?.get(name)
  return start === undefined || 'code' in start ? undefined : start
}
