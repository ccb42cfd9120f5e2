import { arrivedBytes, type FetchFact, isProved, type WantedFile } from '../../model/fetch.ts'

/**
 * `complete`: hashed, and the digest matches. `unverified`: a file of the right size that was not hashed. `other`: something else has its name.
 * `partial`: some of it has arrived.
 */
export type FileState = 'complete' | 'unverified' | 'other' | 'partial' | 'missing'

export interface FileOnHost extends WantedFile {
  readonly state: FileState
  /** Bytes that have arrived. */
  readonly have: number
}

/** The state of each file on its host. */
export function filesOnHost(files: readonly WantedFile[], fact: FetchFact): readonly FileOnHost[] {
  return files.map((file): FileOnHost => {
    const found = fact.files.find(({ path }) => path === file.path)
    if (found === undefined) {
      const have = Math.min(arrivedBytes(file, fact.files), file.bytes)
      return { ...file, have, state: have > 0 ? 'partial' : 'missing' }
    }
    if (isProved(file, fact) && found.bytes === file.bytes) return { ...file, have: file.bytes, state: 'complete' }
    // The digest of a hashed, unchanged file is known.
    const isHashed = fact.digests.some(({ path, digest }) => isProved({ path, digest }, fact) && path === file.path)
    const isOther = found.bytes !== file.bytes || isHashed
    return { ...file, have: isOther ? 0 : file.bytes, state: isOther ? 'other' : 'unverified' }
  })
}

/** An empty list is not complete. */
export function isWhole(files: readonly FileOnHost[]): boolean {
  return files.length > 0 && files.every(({ state }) => state === 'complete')
}

/** Bytes that are still missing. */
export function bytesToFetch(files: readonly FileOnHost[]): number {
  return files.reduce((sum, { bytes, have, state }) => sum + (state === 'partial' || state === 'missing' ? bytes - have : 0), 0)
}
