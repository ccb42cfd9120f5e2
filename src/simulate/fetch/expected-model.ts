import type { ModelFiles } from '../../model/facts.ts'
import { type Observed, unknown } from '../../model/observed.ts'
import { loadsFolder } from '../../servers/traits.ts'
import type { JudgedModel } from './judge-host.ts'
import { isComing } from './neighbours.ts'
import type { Listing } from './order.ts'
import type { FileOnHost } from './state.ts'

/**
 * A model of Kind A as it will be when all of it has been fetched, by what its hub lists and by how its first file begins. Undefined: nothing is
 * still to come, or not enough is known of it.
 *
 * @param there what lies at its path now
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
    cachedBytes: unknown('not-gathered', 'it is not there yet'),
  }
}

function headerAtHub({ starts }: Listing, { name }: FileOnHost): ModelFiles['header'] | undefined {
  const start = starts?.get(name)
  return start === undefined || 'code' in start ? undefined : start
}
