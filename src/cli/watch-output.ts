import { setImmediate as nextTurn } from 'node:timers/promises'

/** Whether stdout was written completely. */
export interface WatchedOutput {
  /** Why part of it was lost, once all writes have been answered; undefined: nothing was lost. */
  lost(): Promise<NodeJS.ErrnoException | undefined>
}

interface Stream {
  on(name: 'error', handler: (error: NodeJS.ErrnoException) => void): unknown
}

/** The reader has closed its end (`converge plan | head`), or the terminal was closed. */
const closed: readonly (string | undefined)[] = ['EPIPE', 'EIO']

/**
 * A failed write to stdout or stderr, such as on a full disk, never ends a run in the middle of a step: it continues in silence, and its exit
 * code stays true. Only an incomplete stdout is remembered, because a reader could take it for a result.
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
