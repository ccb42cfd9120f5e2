import type { Readable } from 'node:stream'

/** Backpressure: while a stream is not read, the other end cannot send. */
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
