/** The folder of an absolute path; for `/model.gguf` it is `/`. */
export function folderOfPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 1))
}

/** The part after the last slash. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Joins two paths with one slash. */
export function joinPaths(folder: string, below: string): string {
  return `${folder.replace(/\/+$/, '')}/${below}`
}

/** Whether a relative path stays below its folder, and is safe for scripts and messages. */
export function isBelow(path: string): boolean {
  const parts = path.split('/')
  return path.length <= 500 && !/[\p{C}\\]/u.test(path) && parts.every((part) => part !== '' && part !== '.' && part !== '..')
}
