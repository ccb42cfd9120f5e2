import type { HostFacts } from './facts.ts'
import type { Platform, ServerKindName } from './names.ts'

/** What `facts --out` writes about one host, for a plan without the host. Contains no secrets and no digests of them. */
export interface FactsFile {
  readonly schema: 'converge/host-facts/v1'
  /** SHA-256 over everything else in the file. */
  readonly digest: string
  /** The version of converge that observed it. */
  readonly tool: string
  /** Its name in the inventory. */
  readonly host: string
  /** ISO 8601, controller's clock. */
  readonly gathered_at: string
  /** SHA-256 over how the host was reached, and as which user. */
  readonly reached: string
  readonly asked: AskedThen
  /** By service: how the keys on the host compare with the one that the inventory named. */
  readonly keys: Readonly<Record<string, KeyClaim>>
  /** Digests of keys are replaced by placeholders, which only show which of them are equal. */
  readonly facts: HostFacts
}

/** What the host was asked, as far as the answers do not show it. */
export interface AskedThen {
  readonly org: string
  readonly converge_dir?: string
  /** Absent: any. */
  readonly platform?: Platform
  readonly power: boolean
  readonly images: readonly string[]
  /** Names of variables. */
  readonly environment: readonly string[]
  readonly programs: readonly { readonly kind: ServerKindName; readonly path: string }[]
  /** By service: which server was expected at which port. */
  readonly servers: Readonly<Record<string, { readonly kind: ServerKindName; readonly port: number }>>
}

/** Comparisons made while the key was known. Absent: unknown. */
export interface KeyClaim {
  /** SHA-256 over the key's reference in the inventory. */
  readonly reference: string
  readonly definition?: KeyVerdict
  readonly key_file?: { readonly holds: KeyVerdict /** SHA-256 of its wanted text without the key. */; readonly text: string }
  /** By name of the variable. */
  readonly environment?: Readonly<Record<string, KeyVerdict>>
}

/** `wanted`: it is the key that the inventory named; `other`: another one. */
export type KeyVerdict = 'wanted' | 'other'
