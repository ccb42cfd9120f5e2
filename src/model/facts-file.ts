import type { HostFacts } from './facts.ts'
import type { Platform, ServerKindName } from './names.ts'

/** What `facts --out` writes of one host, for a plan without the host. Holds no secret, and no digest of one. */
export interface FactsFile {
  readonly schema: 'converge/host-facts/v1'
  /** SHA-256 over everything else in the file. */
  readonly digest: string
  /** The version of converge that looked. */
  readonly tool: string
  /** Its name in the inventory. */
  readonly host: string
  /** ISO 8601, controller's clock. */
  readonly gathered_at: string
  /** SHA-256 over how the host was reached, and as whom. */
  readonly reached: string
  readonly asked: AskedThen
  /** By service: how the keys on the host compare with the one that the inventory named. */
  readonly keys: Readonly<Record<string, KeyClaim>>
  /** In place of each digest of a key another word, which tells no more than which of them are equal. */
  readonly facts: HostFacts
}

/** What the host was asked about, as far as the answers do not tell it themselves. */
export interface AskedThen {
  readonly org: string
  readonly converge_dir?: string
  /** Absent: whatever it is. */
  readonly platform?: Platform
  readonly power: boolean
  readonly images: readonly string[]
  /** Names of variables. */
  readonly environment: readonly string[]
  readonly programs: readonly { readonly kind: ServerKindName; readonly path: string }[]
  /** By service: which server was expected at which port. */
  readonly servers: Readonly<Record<string, { readonly kind: ServerKindName; readonly port: number }>>
}

/** What was seen with the key in hand. What is absent nobody could tell. */
export interface KeyClaim {
  /** SHA-256 of where the inventory said that the key is to be found. */
  readonly reference: string
  readonly definition?: KeyVerdict
  readonly key_file?: { readonly holds: KeyVerdict /** SHA-256 of its wanted text without the key. */; readonly text: string }
  /** By name of the variable. */
  readonly environment?: Readonly<Record<string, KeyVerdict>>
}

/** `wanted`: it holds the key that the inventory named; `other`: another one. */
export type KeyVerdict = 'wanted' | 'other'
