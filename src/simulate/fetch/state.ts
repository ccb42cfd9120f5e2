import { arrivedBytes, type FetchFact, isProved, type WantedFile } from '../../model/fetch.ts'

/**
 * `complete`: its digest was taken and is right. `unverified`: a file of the right size, which nobody hashed. `other`: something else has its
 * name. `partial`: some of it has arrived.
 */
export type FileState = 'complete' | 'unverified' | 'other' | 'partial' | 'missing'

export interface FileOnHost extends WantedFile {
  readonly state: FileState
  /** Bytes that have arrived. */
  readonly have: number
}

/** How far each file is on its host. */
export function filesOnHost(files: readonly WantedFile[], fact: FetchFact): readonly FileOnHost[] {
  return files.map((file): FileOnHost => {
    const found = fact.files.find(({ path }) => path === file.path)
    if (found === undefined) {
      const have = Math.min(arrivedBytes(file, fact.files), file.bytes)
      return { ...file, have, state: have > 0 ? 'partial' : 'missing' }
    }
    if (isProved(file, fact) && found.bytes === file.bytes) return { ...file, have: file.bytes, state: 'complete' }
    // Of what was hashed and not touched since the digest is known.
    const isHashed = fact.digests.some(({ path, digest }) => isProved({ path, digest }, fact) && path === file.path)
    const isOther = found.bytes !== file.bytes || isHashed
    return { ...file, have: isOther ? 0 : file.bytes, state: isOther ? 'other' : 'unverified' }
  })
}

/** Of no files nothing is proved. */
export function isWhole(files: readonly FileOnHost[]): boolean {
  return files.length > 0 && files.every(({ state }) => state === 'complete')
}

/** Bytes that are still to come. */
export function bytesToFetch(files: readonly FileOnHost[]): number {
  return files.reduce((sum, { bytes, have, state }) => sum + (state === 'partial' || state === 'missing' ? bytes - have : 0), 0)
}
