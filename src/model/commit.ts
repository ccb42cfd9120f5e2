/** A full commit: it stays what it is, whatever happens in the repository. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision)
}
