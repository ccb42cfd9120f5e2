import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the part of the heap for new objects at the size that it has after the start. With memory to spare, V8 would let it grow to 128 MiB: a third of
 * what a plan of 1,000 hosts takes, for no measurable gain in time.
 */
export function steadyHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
