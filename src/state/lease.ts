import { rm } from 'node:fs/promises'
import { unusable } from './state-folder.ts'

/** A name in a folder that one process at a time has: a folder `<path>.lock` whose date its holder renews. */
export interface Lease {
  /** Aborted when somebody else has it: this process was silent for too long (stopped, or its machine asleep), or somebody took it away. */
  readonly lost: AbortSignal
  /** Gives it back, unless it is lost. */
  end(): Promise<void>
}

/** @returns undefined: somebody has it, and renewed it within `staleMs`. @throws ConvergeError `STATE.UNUSABLE` */
export async function takeLease(path: string, staleMs: number): Promise<Lease | undefined> {
  const { lock } = await library()
  const lost = new AbortController()
  try {
    const release = await lock(path, {
      realpath: false,
      stale: staleMs,
      update: staleMs / 5,
      onCompromised: () => lost.abort(),
    })
    const end = async () => {
      // What is not ours any more belongs to who has it now.
      if (!lost.signal.aborted) await release().catch(() => undefined)
    }
    return { lost: lost.signal, end }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') return undefined
    throw unusable(path, error)
  }
}

/** Whether somebody has it. @throws ConvergeError `STATE.UNUSABLE` */
export async function isLeased(path: string, staleMs: number): Promise<boolean> {
  const { check } = await library()
  try {
    return await check(path, { realpath: false, stale: staleMs })
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Takes it away from whoever has it, who hears of it when he renews it. */
export async function breakLease(path: string): Promise<void> {
  await rm(`${path}.lock`, { recursive: true, force: true })
}

/** By its default export, which is all that a bundle keeps of a CommonJS package. */
async function library() {
  return (await import('proper-lockfile')).default
}
