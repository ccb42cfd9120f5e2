/** Files beside one of ours while it is replaced: a shared definition for writers, readers and cleanup. */

/** The previous file, for the rollback; with `.part` while it is being copied. */
export const previousSuffix = '.converge-previous'

/** The key file that the server was started with, kept while it runs. */
export const heldSuffix = '.converge-running'

/**
 * A glob after `FOLDER/.NAME`: partial files. Six letters or digits, as mktemp makes them; other characters could include a line break.
 */
export const temporaryGlob = `.converge.${'[A-Za-z0-9]'.repeat(6)}`
