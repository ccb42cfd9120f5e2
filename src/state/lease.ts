import { rm } from 'node:fs/promises'
import { unusable } from './state-folder.ts'

/** A lock of one process: a folder `<path>.lock` whose date its holder renews. */
export interface Lease {
  /** Aborted when the lease is lost: this process was silent for too long (stopped, or the machine slept), or a person removed it. */
  readonly lost: AbortSignal
  /** Releases it, unless it is lost. */
  end(): Promise<void>
}

/** @returns undefined: another process holds it and renewed it within `staleMs`. @throws ConvergeError `STATE.UNUSABLE` */
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
      // A lost lease belongs to its new holder.
      if (!lost.signal.aborted) await release().catch(() => undefined)
    }
    return { lost: lost.signal, end }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') return undefined
    throw unusable(path, error)
  }
}

/** Whether any process holds it. @throws ConvergeError `STATE.UNUSABLE` */
export async function isLeased(path: string, staleMs: number): Promise<boolean> {
  const { check } = await library()
  try {
    return await check(path, { realpath: false, stale: staleMs })
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Removes it; its holder notices at the next renewal. */
export async function breakLease(path: string): Promise<void> {
  await rm(`${path}.lock`, { recursive: true, force: true })
}

/** By its default export, the only one that a bundle keeps of a CommonJS package. */
async function library() {
  return (await import('proper-lockfile')).default
}
