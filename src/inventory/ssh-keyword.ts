/**
 * The keyword of what stands behind `-o`, in lower case, as OpenSSH reads it (`strdelim` in misc.c): up to a space, a `=` or a closing
 * quote; quotes are left out (`"ProxyCommand" x`, `Proxy"Command" x`), and an empty word before it is passed over (`=ProxyCommand x`).
 */
export function keywordOf(option: string): string {
  const { head = '', quoted = '' } = /^(?:[\s=]|"")*(?<head>[^\s="]*)(?:"(?<quoted>[^"]*)")?/u.exec(option)?.groups ?? {}
  return (head + quoted).toLowerCase()
}
