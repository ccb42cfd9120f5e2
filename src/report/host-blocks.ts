import { InternalError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import type { Paint } from './paint.ts'
import { renderUnreachable } from './problem-text.ts'

/** A text in which a bug stands in the place of what it kept from being told. */
export class PartlyRendered extends InternalError {
  readonly text: string

  constructor(text: string, cause: unknown) {
    super('a host could not be rendered', { cause })
    this.text = text
  }
}

/** What is told of each host, one of them at a time: a bug about one takes nothing from the others. */
export interface HostBlocks {
  readonly blocks: readonly string[]
  /** The text that was made of them. @throws PartlyRendered where one of them tells of a bug */
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
