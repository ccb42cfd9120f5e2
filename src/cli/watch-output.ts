import { setImmediate as nextTurn } from 'node:timers/promises'

/** What became of stdout. */
export interface WatchedOutput {
  /** Why something of it was lost, once all that was written has had its answer; undefined: nothing was. */
  lost(): Promise<NodeJS.ErrnoException | undefined>
}

interface Stream {
  on(name: 'error', handler: (error: NodeJS.ErrnoException) => void): unknown
}

/** Whoever reads has read enough (`converge plan | head`), or the terminal was closed. */
const closed: readonly (string | undefined)[] = ['EPIPE', 'EIO']

/**
 * What cannot be told ends no run in the middle of a step, be it that the disk of a log is full: what runs goes on in silence, and its exit
 * code stays true. Only that stdout is not whole is remembered, for somebody may take it for a result.
 */
export function watchOutput({ stdout, stderr }: { readonly stdout: Stream; readonly stderr: Stream }): WatchedOutput {
  let failure: NodeJS.ErrnoException | undefined
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!closed.includes(error.code)) failure ??= error
  })
  return {
    lost: async () => {
      await nextTurn()
      return failure
    },
  }
}
