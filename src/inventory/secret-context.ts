/** What opening a secret may touch of the world outside. */
export interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** Told about files that others can read. */
  warn?(sentence: string): void
  readonly signal?: AbortSignal
  /** Somebody sits at a terminal, at which a command may ask for something. */
  readonly terminal?: boolean
}
