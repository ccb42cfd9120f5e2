const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'its name could not be resolved',
  EAI_AGAIN: 'name resolution failed temporarily',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
}

/** Why an HTTP request failed, without the system's own message, which contains addresses. `otherwise` is for unknown causes. */
export function connectionWords(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = words[code]
  if (known !== undefined) return known
  if (/CERT|SSL|TLS|SIGNATURE|VERIFY/.test(code)) return `its certificate is not trusted (${code})`
  return `${otherwise}${/^[A-Z_]+$/.test(code) ? ` (${code})` : ''}`
}
