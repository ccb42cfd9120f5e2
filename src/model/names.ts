/** The closed vocabularies of the domain. Host, group and service names are plain strings checked by the inventory schema. */

export type Platform = 'linux' | 'macos'

/** `A`: a GGUF server, `llama-server` style. `B`: the `serve` program for large quantised models. */
export type ServerKindName = 'A' | 'B'

/** The supervisor of a service on its host. */
export type ManagerName = 'launchd' | 'compose' | 'systemd'

/** Of launchd: `gui` exists while the account is logged in at the screen, `system` always. */
export type LaunchdDomain = 'gui' | 'system'

/**
 * `stopped`: the definition is in place and no RAM is used. `absent`: nothing that converge manages remains. `unmanaged`: converge leaves it
 * alone, and only counts its port and memory.
 */
export type WantedState = 'running' | 'stopped' | 'absent' | 'unmanaged'

/** The files of clients that `converge endpoints` writes. */
export type EndpointFormatName = 'json' | 'env' | 'litellm' | 'openwebui' | 'continue' | 'llama-swap'

/** What a server can be asked to show that it works. */
export type RequestKind = 'chat' | 'embedding' | 'rerank'

/** What the smoke test asks a server; `none`: nothing beyond its health, name and key. */
export type SmokeKind = RequestKind | 'none'

/** Timers of macOS's power management by pmset's own names: after how many minutes something sleeps. */
export type SleepTimer = 'disksleep' | 'sleep' | 'displaysleep'

/** `file`: a 0600 file the server reads. `inline`: the definition and the process list contain the key. */
export type KeyDelivery = 'file' | 'inline'
