/** Whether it is a full commit, which never changes. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision)
}
