import type { FileStamp, HeldFile } from '../model/file-identity.ts'
import { toleranceS } from './key-file.ts'

/** Seconds since the epoch by the host's clock. */
export interface Since {
  /** Undefined: unknown; then times decide nothing. */
  readonly startedAt: number | undefined
  /** Times after this were written under another clock and are ignored. Undefined: as `startedAt`. */
  readonly now: number | undefined
}

/** Compares the device only if both report it: some file systems report another one for mapped files. */
export function isSameFile(held: HeldFile, { device, inode }: Pick<FileStamp, 'device' | 'inode'>): boolean {
  return held.inode === inode && (held.device === undefined || held.device === device)
}

/** Its path now points to another file, or to none. A path that cannot be checked counts as unchanged. */
export function leadsElsewhere(held: HeldFile | undefined): boolean {
  if (held?.now === undefined) return false
  return held.now === null || !isSameFile(held, held.now)
}

/**
 * The same for a mapped file. On a layered root (overlayfs) the kernel may report another inode for a mapped file than `stat` does, after a
 * restart as before it: unless the kernel calls it deleted, the file must also have been placed since the start.
 */
export function mappedElsewhere(held: HeldFile, since: Since): boolean {
  if (!leadsElsewhere(held)) return false
  return held.deleted === true || !held.now || isLater(held.now.changed, since)
}

/** Its content is younger than the process; for a file that may or may not be the one that the process was started from. */
export function writtenSince({ modified, born }: Pick<FileStamp, 'modified' | 'born'>, since: Since): boolean {
  return isLater(modified, since) || isLater(born, since)
}

/**
 * The same, or it was placed with old times (`mv`, `cp -p`, an archive). That changes the folder as well as the file; a changed mode, which
 * is irrelevant, changes the file alone.
 */
export function placedSince(file: FileStamp, since: Since): boolean {
  return writtenSince(file, since) || (isLater(file.changed, since) && isLater(file.folderChanged, since))
}

/** It was placed after the process started; for a file that the process is known not to use. */
export function changedSince(file: FileStamp, since: Since): boolean {
  return writtenSince(file, since) || isLater(file.changed, since) || isLater(file.linked, since)
}

function isLater(time: number | undefined, { startedAt, now }: Since): boolean {
  if (time === undefined || startedAt === undefined || now === undefined) return false
  return time > startedAt + toleranceS && time <= now + toleranceS
}
