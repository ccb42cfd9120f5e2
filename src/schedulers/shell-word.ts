const plain = /^[\w@+=:,./-]+$/

/** A word for a POSIX shell, in a form that people read easily; line ends were refused before. */
export function shellWord(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * The same in a crontab. cron takes `%` for the end of the command and, but for BusyBox, drops a backslash before it; so a `%` stands
 * outside of quotes behind one, where a shell that still sees the backslash drops it.
 */
export function crontabWord(word: string): string {
  return shellWord(word).replaceAll('%', "'\\%'")
}
