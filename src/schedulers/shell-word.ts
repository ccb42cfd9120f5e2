const plain = /^[\w@+=:,./-]+$/

/** A readable word for a POSIX shell; line ends were refused before. */
export function shellWord(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * The same in a crontab. cron treats `%` as the end of the command and, except in BusyBox, drops a backslash before it. So a `%` is
 * placed outside of quotes after a backslash, which the shell drops if it still sees it.
 */
export function crontabWord(word: string): string {
  return shellWord(word).replaceAll('%', "'\\%'")
}
