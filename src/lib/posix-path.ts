/** The folder of an absolute path; that of `/model.gguf` is `/`. */
export function folderOfPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 1))
}

/** Behind the last slash. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** One slash between the two. */
export function joinPaths(folder: string, below: string): string {
  return `${folder.replace(/\/+$/, '')}/${below}`
}

/** A path that stays below the folder it is put into, and that a script and a person can be given. */
export function isBelow(path: string): boolean {
  const parts = path.split('/')
  return path.length <= 500 && !/[\p{C}\\]/u.test(path) && parts.every((part) => part !== '' && part !== '.' && part !== '..')
}
