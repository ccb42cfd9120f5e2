/**
 * The keyword of an `-o` option in lower case, as OpenSSH reads it (`strdelim` in misc.c): up to a space, a `=` or a closing quote. Quotes are removed
 * (`"ProxyCommand" x`, `Proxy"Command" x`), and an empty word before it is skipped (`=ProxyCommand x`).
 */
export function keywordOf(option: string): string {
  const { head = '', quoted = '' } = /^(?:[\s=]|"")*(?<head>[^\s="]*)(?:"(?<quoted>[^"]*)")?/u.exec(option)?.groups ?? {}
  return (head + quoted).toLowerCase()
}
