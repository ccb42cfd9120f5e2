import { InternalError } from '../../errors/converge-error.ts'
import type { HostFacts } from '../../model/facts.ts'

/** How this host's container engine is called. */
export interface Engine {
  /** Absolute path of the docker client. */
  readonly docker: string
  /** The words that call compose, absolute. */
  readonly compose: readonly string[]
  /**
   * docker-compose 1 cannot replace a container under newer engines (it looks for a field of the image that they no longer
   * send): there, the old one is removed first.
   */
  readonly replaces: boolean
}

/** A plan is only made where both are known. */
export function engineOf({ containers, host }: HostFacts): Engine {
  const engine = containers.known ? containers.value.engine : null
  if (engine === null || !engine.compose.known) throw new InternalError(`an action was planned for ${host}, which has no compose`)
  const { argv, version } = engine.compose.value
  return { docker: engine.path, compose: argv, replaces: !/^v?1\./.test(version) }
}

/** Removing needs no compose: the docker client is enough. */
export function dockerOf({ containers, host }: HostFacts): string {
  const engine = containers.known ? containers.value.engine : null
  if (engine === null) throw new InternalError(`an action was planned for ${host}, which has no container engine`)
  return engine.path
}
