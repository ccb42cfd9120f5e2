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
export interface HostBlocks<H> {
  readonly blocks: readonly string[]
  readonly add: (host: H) => void
  /** @param text made of the blocks. @throws PartlyRendered if a block has a bug */
  readonly finish: (text: string) => string
}

/** Hosts to be added. */
export function noBlocks<H extends { readonly host: string }>(render: (host: H) => string, paint: Paint): HostBlocks<H> {
  const failures: unknown[] = []
  const blocks: string[] = []
  return {
    blocks,
    add: (host) => {
      try {
        blocks.push(render(host))
      } catch (error) {
        failures.push(error)
        blocks.push(renderUnreachable(host.host, hostBug(host.host, error).toProblem(), paint))
      }
    },
    finish: (text) => {
      if (failures.length > 0) throw new PartlyRendered(text, failures[0])
      return text
    },
  }
}

export function hostBlocks<H extends { readonly host: string }>(
  hosts: readonly H[],
  render: (host: H) => string,
  paint: Paint,
): HostBlocks<H> {
  const all = noBlocks(render, paint)
  for (const host of hosts) all.add(host)
  return all
}
