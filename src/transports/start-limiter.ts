import pLimit from 'p-limit'
import { createMemory, type Memory } from './memory.ts'

/** Shared by all connections of a run. */
export interface StartLimiter {
  /** Runs `open` as soon as fewer connections are being opened than allowed: servers and bastions drop bursts (MaxStartups). */
  start<T>(open: () => Promise<T>): Promise<T>
  /** Runs a program of this machine, few at a time. */
  runTool<T>(run: () => Promise<T>): Promise<T>
  /** Remembers for the whole run what OpenSSH said, which keys there are, and which bastions are connected. */
  readonly memory: Memory
}

/** @param maxStarts OpenSSH begins to drop connections at ten that have not logged in (MaxStartups 10:30:100), and then only some. */
export function createStartLimiter(maxStarts = 16): StartLimiter {
  const starts = pLimit(maxStarts)
  const tools = pLimit(4)
  return { start: (open) => starts(open), runTool: (run) => tools(run), memory: createMemory() }
}
