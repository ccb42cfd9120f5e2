/** A file of a repository, as its hub lists it. */
export interface HubFile {
  /** Below the repository, with `/` between folders. */
  readonly path: string
  readonly bytes: number
  readonly digest: HubDigest
}

/** Large files have the SHA-256 of their content, small ones their git digest: the SHA-1 of `blob LENGTH\0` and the content. */
export interface HubDigest {
  readonly kind: 'sha256' | 'git'
  /** Lower-case hexadecimal. */
  readonly hex: string
}
