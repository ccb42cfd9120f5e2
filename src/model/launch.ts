import type { ServerKindName } from './names.ts'
import type { Secret } from './secret.ts'

/** Where a launched program finds its things, as *it* sees them: in a container that is not where they lie on the host. */
export interface SeenPaths {
  readonly model: string
  /** Where the key file is; absent when there is no key or it is delivered inline. */
  readonly keyFile?: string
}

/** What a server kind asks any manager to run. Managers render it; they never look behind it. */
export interface Launch {
  readonly kind: ServerKindName
  /** Executable with its interpreter and subcommand, outside a container. */
  readonly program: readonly string[]
  /**
   * How much of `program` is the entrypoint in a container. All of it (Kind A): the image's own entrypoint stands for it and none
   * is rendered. Part of it (Kind B): that part is rendered as the entrypoint, the rest leads the command.
   */
  readonly entrypointLength: number
  /** Flags and values, one element each, in the order of the spec. */
  readonly args: readonly (string | Secret)[]
  readonly env: Readonly<Record<string, string | Secret>>
  /** Environment that has to come from a 0600 file: `KEY=value` lines (Kind B with `key_delivery: file`). */
  readonly secretEnv: Readonly<Record<string, Secret>>
  /** Content of the key file that `SeenPaths.keyFile` names (Kind A with `key_delivery: file`). */
  readonly keyFileContent?: Secret
  /** Exit codes after which a restart cannot help. */
  readonly fatalExitCodes: readonly number[]
}

/** What the rules weigh. Bytes. */
export interface MemoryNeed {
  /** Cannot be reclaimed: KV cache, server caches, compute buffers; the whole budget for Kind B. */
  readonly hardBytes: number
  /** Mapped weights: page cache that the server is useless without. */
  readonly softBytes: number
  /** What the two are made of, in the order in which it is told. */
  readonly parts: readonly MemoryPart[]
}

export interface MemoryPart {
  readonly name: 'weights' | 'KV cache' | 'prompt cache' | 'compute buffers' | 'RAM budget'
  readonly bytes: number
  /** How the figure came about, for people. */
  readonly from: string
}

/** The smoke test of a kind, as data. Paths are below `http://127.0.0.1:<port>`. */
export interface SmokeTest {
  readonly health: { readonly path: string }
  readonly models: { readonly path: string; readonly alias: string }
  /** A protected path and what must come back for a wrong key. */
  readonly keyCheck: { readonly path: string; readonly wrongKeyStatus: number }
  readonly completion: { readonly path: string; readonly body: Readonly<Record<string, unknown>>; readonly timeoutS: number }
  readonly readyTimeoutS: number
}
