/** How converge was installed. */
export const forms = ['npm', 'checkout', 'binary', 'deb', 'container', 'homebrew', 'nix'] as const
export type Form = (typeof forms)[number]

export interface Build {
  readonly form: Form
  /** Null: built outside a repository, or not built at all. */
  readonly commit: string | null
}

/** `converge --version --json`. */
export interface VersionDocument extends Build {
  readonly schema: 'converge/version/v1'
  readonly version: string
  readonly node: string
  readonly platform: string
  readonly arch: string
}
