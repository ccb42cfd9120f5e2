import { InternalError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import type { Paint } from './paint.ts'
import { renderUnreachable } from './problem-text.ts'

/** A text with a bug in the place of a host that could not be rendered. */
export class PartlyRendered extends InternalError {
  readonly text: string

  constructor(text: string, cause: unknown) {
    super('a host could not be rendered', { cause })
    this.text = text
  }
}

/** Hosts, rendered one at a time: a bug with one host leaves the others complete. */
export interface HostBlocks {
  readonly blocks: readonly string[]
  /** @param text made of the blocks. @throws PartlyRendered if a block has a bug */
  readonly finish: (text: string) => string
}

export function hostBlocks<H extends { readonly host: string }>(
  hosts: readonly H[],
  render: (host: H) => string,
  paint: Paint,
): HostBlocks {
  const failures: unknown[] = []
  const blocks = hosts.map((host) => {
    try {
      return render(host)
    } catch (error) {
      failures.push(error)
      return renderUnreachable(host.host, hostBug(host.host, error).toProblem(), paint)
    }
  })
  return {
    blocks,
    finish: (text) => {
      if (failures.length > 0) throw new PartlyRendered(text, failures[0])
      return text
    },
  }
}
