import { InternalError } from '../../errors/converge-error.ts'
import type { HostFacts } from '../../model/facts.ts'

/** How to call this host's container engine. */
export interface Engine {
  /** Absolute path of the docker client. */
  readonly docker: string
  /** The command for compose, absolute. */
  readonly compose: readonly string[]
  /**
   * docker-compose 1 cannot replace a container under newer engines (it reads a field of the image that they no longer send): there, the old
   * container is removed first.
   */
  readonly replaces: boolean
}

/** Throws if either is unknown; no action is planned then. */
export function engineOf({ containers, host }: HostFacts): Engine {
  const engine = containers.known ? containers.value.engine : null
  if (engine === null || !engine.compose.known) throw new InternalError(`an action was planned for ${host}, which has no compose`)
  const { argv, version } = engine.compose.value
  return { docker: engine.path, compose: argv, replaces: !/^v?1\./.test(version) }
}

/** Removing needs only the docker client, not compose. */
export function dockerOf({ containers, host }: HostFacts): string {
  const engine = containers.known ? containers.value.engine : null
  if (engine === null) throw new InternalError(`an action was planned for ${host}, which has no container engine`)
  return engine.path
}
