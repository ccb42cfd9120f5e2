import type { RequestKind, ServerKindName } from './names.ts'
import type { Secret } from './secret.ts'

/** Paths as the launched program sees them: in a container they differ from those on the host. */
export interface SeenPaths {
  readonly model: string
  /** The key file; absent without a key or with inline delivery. */
  readonly keyFile?: string
}

/** What a server kind asks any manager to run. Managers only render it. */
export interface Launch {
  readonly kind: ServerKindName
  /** Executable with its interpreter and subcommand, outside a container. */
  readonly program: readonly string[]
  /**
   * How many words of `program` are the entrypoint in a container. All of them (Kind A): the image's own entrypoint is used, and none is rendered.
   * Some of them (Kind B): they are rendered as the entrypoint, and the rest starts the command.
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

/** Input of the memory rules. Bytes. */
export interface MemoryNeed {
  /** Cannot be reclaimed: KV cache, server caches, compute buffers; the whole budget for Kind B. */
  readonly hardBytes: number
  /** Mapped weights: page cache that the server cannot work without. */
  readonly softBytes: number
  /** The parts of both, in display order. */
  readonly parts: readonly MemoryPart[]
}

export interface MemoryPart {
  readonly name: 'weights' | 'KV cache' | 'prompt cache' | 'compute buffers' | 'RAM budget'
  readonly bytes: number
  /** How the figure was computed, for people. */
  readonly from: string
}

/** The smoke test of a kind, as data. Paths are below `http://127.0.0.1:<port>`. */
export interface SmokeTest {
  readonly health: { readonly path: string }
  readonly models: { readonly path: string; readonly alias: string }
  /** A protected path, and the expected status for a wrong key. */
  readonly keyCheck: { readonly path: string; readonly wrongKeyStatus: number }
  /** What it is asked to show that it works; absent: nothing. */
  readonly request?: SmokeRequest
  readonly readyTimeoutS: number
}

export interface SmokeRequest {
  readonly kind: RequestKind
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly timeoutS: number
}
