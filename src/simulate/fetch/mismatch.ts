import { defined } from '../../lib/defined.ts'
import { isProved } from '../../model/fetch.ts'
import type { HubDigest } from '../../model/hub-file.ts'
import type { JudgedModel } from './judge-host.ts'
import { orderOf, targetPath } from './order.ts'
import { filesOnHost } from './state.ts'

/** A file at the path of a model's file that is known to be another one. */
export interface Mismatch {
  readonly path: string
  readonly bytes: number
  /** Its digest on the host; absent: not hashed, because its size is wrong. */
  readonly digest?: HubDigest
  readonly wanted: { readonly by: 'inventory' | 'hub'; readonly digest: HubDigest; readonly bytes?: number }
}

/**
 * Files on a host that are known to be wrong: by the inventory's digests, and by the hub's current listing if the source did not move. Excludes
 * unhashed files of the right size, and everything without an answer of the hub.
 */
export function mismatchesOf(judged: JudgedModel): readonly Mismatch[] {
  const byInventory = unlikeInventory(judged)
  const reported = new Set(byInventory.map(({ path }) => path))
  return [...byInventory, ...unlikeHub(judged).filter(({ path }) => !reported.has(path))]
}

function unlikeInventory({ about: { model, fact } }: JudgedModel): readonly Mismatch[] {
  if (!fact.known || model.rivals !== undefined) return []
  return Object.entries(model.source.sha256 ?? {}).flatMap(([name, hex]): Mismatch[] => {
    const path = targetPath(model, name)
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
  // If inventory and hub disagree, the inventory counts, and `converge fetch` refuses.
  const agreed = order.files.filter(({ name, digest }) => (sha256[name] ?? digest.hex) === digest.hex)
  return filesOnHost(agreed, fact.value)
    .filter(({ state }) => state === 'other')
    .map(({ path, bytes, digest }): Mismatch => {
      const found = fact.value.files.find((one) => one.path === path)
      const hashed = fact.value.digests.find((one) => one.path === path && isProved(one, fact.value))
      return { path, bytes: found?.bytes ?? 0, ...defined({ digest: hashed?.digest }), wanted: { by: 'hub', digest, bytes } }
    })
}
