import type { FileStamp, HeldFile } from '../model/file-identity.ts'
import { toleranceS } from './key-file.ts'

/** Seconds since the epoch by the host's clock. */
export interface Since {
  /** Undefined: it cannot be told, and nothing is said of times. */
  readonly startedAt: number | undefined
  /** What was written later than this was written under another clock, and says nothing. Undefined: as `startedAt`. */
  readonly now: number | undefined
}

/** The device is compared where both tell it: some file systems tell another one of what is mapped. */
export function isSameFile(held: HeldFile, { device, inode }: Pick<FileStamp, 'device' | 'inode'>): boolean {
  return held.inode === inode && (held.device === undefined || held.device === device)
}

/** Its own path leads to another file by now, or to none. One that cannot be looked at leads where it led. */
export function leadsElsewhere(held: HeldFile | undefined): boolean {
  if (held?.now === undefined) return false
  return held.now === null || !isSameFile(held, held.now)
}

/**
 * The same of a file that is mapped. On a root of layers (overlayfs) the kernel may tell another inode of what is mapped than `stat` of the
 * same file, after a restart as before it: without the kernel's word that it was deleted it has to have come to its place since then.
 */
export function mappedElsewhere(held: HeldFile, since: Since): boolean {
  if (!leadsElsewhere(held)) return false
  return held.deleted === true || !held.now || isLater(held.now.changed, since)
}

/** Its content is younger than the process; for a file of which nobody can tell whether it is the one that the process was started from. */
export function writtenSince({ modified, born }: Pick<FileStamp, 'modified' | 'born'>, since: Since): boolean {
  return isLater(modified, since) || isLater(born, since)
}

/**
 * The same, or it came to its place with the times that it had (`mv`, `cp -p`, out of an archive). That changes the folder as well as the
 * file; another mode, which says nothing, changes the file alone.
 */
export function placedSince(file: FileStamp, since: Since): boolean {
  return writtenSince(file, since) || (isLater(file.changed, since) && isLater(file.folderChanged, since))
}

/** It came to its place later than the process; for a file that the process is known not to have. */
export function changedSince(file: FileStamp, since: Since): boolean {
  return writtenSince(file, since) || isLater(file.changed, since) || isLater(file.linked, since)
}

function isLater(time: number | undefined, { startedAt, now }: Since): boolean {
  if (time === undefined || startedAt === undefined || now === undefined) return false
  return time > startedAt + toleranceS && time <= now + toleranceS
}
