const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection was cut off',
  UND_ERR_SOCKET: 'the connection was cut off',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'names cannot be looked up right now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it could not be connected to',
  UND_ERR_CONNECT_TIMEOUT: 'it could not be connected to',
}

/** Why an HTTP request came to nothing, without a word of the system's: those name addresses. `otherwise` is for what is not known. */
export function connectionWords(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = words[code]
  if (known !== undefined) return known
  if (/CERT|SSL|TLS|SIGNATURE|VERIFY/.test(code)) return `its certificate cannot be trusted (${code})`
  return `${otherwise}${/^[A-Z_]+$/.test(code) ? ` (${code})` : ''}`
}
