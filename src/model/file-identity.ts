/** A file that a process holds, whatever its path leads to by now. Device and inode in the digits of the host's `stat`. */
export interface HeldFile {
  /** As the process sees it: in a container, a path in there. */
  readonly path: string
  /** Absent for what is mapped: some file systems tell another one there. */
  readonly device?: string
  readonly inode: string
  /** The kernel says that its name was taken from it. */
  readonly deleted?: true
  /** What the path leads to now; null: nothing. Absent: it could not be seen. */
  readonly now?: Pick<FileStamp, 'device' | 'inode' | 'changed'> | null
}

/** Which file a path leads to, and since when. Seconds since the epoch by the host's clock. */
export interface FileStamp {
  readonly device: string
  readonly inode: string
  /** When it was last written. */
  readonly modified: number
  /** When anything of it was last changed, its name included. */
  readonly changed: number
  /** When this file was made; absent where the file system does not tell. */
  readonly born?: number
  /** When the newest link on the way to it was set; absent: there is none. */
  readonly linked?: number
  /** When a name last came to the folder of its path, or went from there; absent: it was not looked at. */
  readonly folderChanged?: number
}
