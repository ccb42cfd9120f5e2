import { createHash } from 'node:crypto'
import { type FakeContent, gitBlobId, sha256Of, sizeOf } from './content.ts'

/** A file that can be loaded. */
export interface FakeFile {
  /** `org/coder/a/model.gguf` */
  readonly name: string
  readonly path: string
  readonly content: FakeContent
  readonly bytes: number
  /** Large files have SHA-256s and are at the CDN; small ones have git's ids and are at the hub. */
  readonly large: boolean
  readonly digest: string
}

/** A size alone or an entry as the hub would print it is only listed; content can be loaded as well. */
export type FakeEntry = number | FakeContent | object

export async function fileOf(repo: string, path: string, entry: FakeEntry): Promise<FakeFile | undefined> {
  if (!isContent(entry)) return undefined
  const bytes = sizeOf(entry)
  const large = bytes >= 1_000_000 || /\.(?:gguf|safetensors)$/.test(path)
  const digest = large ? await sha256Of(entry) : gitBlobId(entry)
  return { name: `${repo}/${path}`, path, content: entry, bytes, large, digest }
}

function isContent(entry: FakeEntry): entry is FakeContent {
  return typeof entry === 'string' || entry instanceof Uint8Array || (typeof entry === 'object' && 'bytes' in entry)
}

/** How the hub lists it. */
export function listed(path: string, entry: FakeEntry, file: FakeFile | undefined): object {
  if (file !== undefined) return listedWith(path, file.bytes, file.large ? { sha256: file.digest } : { git: file.digest })
  if (typeof entry !== 'number') return { type: 'file', path, ...(typeof entry === 'object' ? entry : {}) }
  return listedWith(path, entry, entry < 1_000_000 ? {} : { sha256: hash('sha256', path) })
}

function listedWith(path: string, size: number, { sha256, git }: { readonly sha256?: string; readonly git?: string }): object {
  const oid = git ?? hash('sha1', path)
  if (sha256 === undefined) return { type: 'file', path, size, oid }
  return { type: 'file', path, size, oid, lfs: { oid: sha256, size, pointerSize: 135 }, xetHash: sha256 }
}

/** The same file after it was replaced by another one. Its digest is made up. */
export function changed(file: FakeFile, what: 'etag' | 'size'): FakeFile {
  const bytes = file.bytes + (what === 'size' ? 1 : 0)
  return { ...file, bytes, content: { bytes, seed: 'changed' }, digest: hash('sha256', `changed ${file.name}`) }
}

function hash(algorithm: 'sha1' | 'sha256', text: string): string {
  return createHash(algorithm).update(text).digest('hex')
}
