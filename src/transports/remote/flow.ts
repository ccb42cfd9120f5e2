import type { Readable } from 'node:stream'

/** How the other end is kept from sending: what is not read here, it cannot go on with. */
export interface Flow {
  pause(): void
  resume(): void
}

export function flowOf(...streams: readonly Readable[]): Flow {
  return {
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
  }
}
