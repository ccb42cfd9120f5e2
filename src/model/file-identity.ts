/** A file that a process holds, whatever its path refers to now. Device and inode as `stat` prints them. */
export interface HeldFile {
  /** As the process sees it: in a container, a path in there. */
  readonly path: string
  /** Absent for mapped files: some file systems report another one for them. */
  readonly device?: string
  readonly inode: string
  /** The kernel reports it as deleted. */
  readonly deleted?: true
  /** What the path refers to now; null: nothing. Absent: unknown. */
  readonly now?: Pick<FileStamp, 'device' | 'inode' | 'changed'> | null
}

/** The identity and times of a file. Seconds since the epoch by the host's clock. */
export interface FileStamp {
  readonly device: string
  readonly inode: string
  /** When it was last written. */
  readonly modified: number
  /** When its content, metadata or name last changed. */
  readonly changed: number
  /** When it was created; absent if the file system does not report it. */
  readonly born?: number
  /** When the newest link in its path was set; absent: no links. */
  readonly linked?: number
  /** When a name was last added to or removed from its folder; absent: not observed. */
  readonly folderChanged?: number
}
