/** Entries of the known-hosts files for one host. Keys are in the base64 of their public key blob. */
export interface KnownKeys {
  readonly trusted: readonly KnownKey[]
  readonly revoked: readonly KnownKey[]
  /** A certificate authority signs for this name; the built-in client cannot verify that. */
  readonly authority: boolean
}

export interface KnownKey {
  readonly type: string
  readonly blob: string
  /** The file and line of the entry. */
  readonly file: string
  readonly line: number
}

export const noKeys: KnownKeys = { trusted: [], revoked: [], authority: false }

export function mergeKnown(parts: readonly KnownKeys[]): KnownKeys {
  return {
    trusted: parts.flatMap(({ trusted }) => trusted),
    revoked: parts.flatMap(({ revoked }) => revoked),
    authority: parts.some(({ authority }) => authority),
  }
}

/** Reads the output of `ssh-keygen -F NAME -f FILE`: a comment with line number and marker, then the line itself. */
export function parseFound(printed: string, file: string): KnownKeys {
  const parts: KnownKeys[] = []
  let found: { line: number; marker: string } | undefined
  for (const text of printed.split('\n')) {
    const comment = /^# Host .* found: line (\d+)(?: (CA|REVOKED))?/.exec(text)
    if (comment !== null) found = { line: Number(comment[1]), marker: comment[2] ?? '' }
    else if (found !== undefined && text.trim() !== '') {
      parts.push(keyOf(text, file, found))
      found = undefined
    }
  }
  return mergeKnown(parts)
}

function keyOf(text: string, file: string, { line, marker }: { line: number; marker: string }): KnownKeys {
  const fields = text.trim().split(/\s+/)
  const [, type, blob] = text.startsWith('@') ? fields.slice(1) : fields
  if (type === undefined || blob === undefined) return noKeys
  const key = { type, blob, file, line }
  if (marker === 'REVOKED') return { ...noKeys, revoked: [key] }
  if (marker === 'CA') return { ...noKeys, authority: true }
  return { ...noKeys, trusted: [key] }
}
