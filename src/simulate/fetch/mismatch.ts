import { defined } from '../../lib/defined.ts'
import { isProved } from '../../model/fetch.ts'
import type { HubDigest } from '../../model/hub-file.ts'
import type { JudgedModel } from './judge-host.ts'
import { orderOf, placeOf } from './order.ts'
import { filesOnHost } from './state.ts'

/** A file that lies where one of a model belongs, and is known to be another. */
export interface Mismatch {
  readonly path: string
  readonly bytes: number
  /** As it was hashed on the host; absent: it was not, and its size is wrong. */
  readonly digest?: HubDigest
  readonly wanted: { readonly by: 'inventory' | 'hub'; readonly digest: HubDigest; readonly bytes?: number }
}

/**
 * What is known to be wrong of the files on a host: by the inventory's own digests, and by what the hub lists now where the source did not move.
 * A file that nobody hashed and that has the right size is not among them, nor is anything of which a hub did not tell.
 */
export function mismatchesOf(judged: JudgedModel): readonly Mismatch[] {
  const byInventory = unlikeInventory(judged)
  const told = new Set(byInventory.map(({ path }) => path))
  return [...byInventory, ...unlikeHub(judged).filter(({ path }) => !told.has(path))]
}

function unlikeInventory({ about: { model, fact } }: JudgedModel): readonly Mismatch[] {
  if (!fact.known || model.rivals !== undefined) return []
  return Object.entries(model.source.sha256 ?? {}).flatMap(([name, hex]): Mismatch[] => {
    const path = placeOf(model, name)
    const hashed = fact.value.digests.find((one) => one.path === path)
    if (hashed?.digest.kind !== 'sha256' || hashed.digest.hex === hex || !isProved(hashed, fact.value)) return []
    const { bytes, digest } = hashed
    return [{ path, bytes, digest, wanted: { by: 'inventory', digest: { kind: 'sha256', hex } } }]
  })
}

function unlikeHub({ about: { model, fact, listing }, verdict }: JudgedModel): readonly Mismatch[] {
  if (!fact.known || listing === undefined || 'code' in listing) return []
  if (verdict.commit !== listing.commit || verdict.problem?.code === 'MODEL.MOVED' || model.rivals !== undefined) return []
  const order = orderOf(model, listing)
  if (typeof order === 'string') return []
  const { sha256 = {} } = model.source
  // Where inventory and hub disagree, the inventory counts, and `converge fetch` refuses.
  const agreed = order.files.filter(({ name, digest }) => (sha256[name] ?? digest.hex) === digest.hex)
  return filesOnHost(agreed, fact.value)
    .filter(({ state }) => state === 'other')
    .map(({ path, bytes, digest }): Mismatch => {
      const found = fact.value.files.find((one) => one.path === path)
      const hashed = fact.value.digests.find((one) => one.path === path && isProved(one, fact.value))
      return { path, bytes: found?.bytes ?? 0, ...defined({ digest: hashed?.digest }), wanted: { by: 'hub', digest, bytes } }
    })
}
