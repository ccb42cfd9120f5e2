/** The environment that resolving a secret may use. */
export interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** Called for files that others can read. */
  warn?(sentence: string): void
  readonly signal?: AbortSignal
  /** A command may prompt on the terminal. */
  readonly terminal?: boolean
}
