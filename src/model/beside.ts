/** What lies beside a file of ours while it is replaced; whoever writes them, finds them and takes them away means the same. */

/** The file as it was before, for the rollback; `.part` behind it while it is being copied. */
export const previousSuffix = '.converge-previous'

/** The key file as it was when the server was started, for as long as that goes on running with it. */
export const heldSuffix = '.converge-running'

/**
 * For a shell, behind `FOLDER/.NAME`: half-written files. Six letters or digits, as mktemp makes them; anything else could hold a line
 * break.
 */
export const temporaryGlob = `.converge.${'[A-Za-z0-9]'.repeat(6)}`
