import pLimit from 'p-limit'
import { createMemory, type Memory } from './memory.ts'

/** Shared by all connections of a run. */
export interface StartLimiter {
  /** Runs `open` once fewer connections are opening than allowed: servers and bastions drop bursts (MaxStartups). */
  start<T>(open: () => Promise<T>): Promise<T>
  /** Runs a program on this machine, a few at a time. */
  runTool<T>(run: () => Promise<T>): Promise<T>
  /** Caches OpenSSH's answers, keys and connected bastions for the whole run. */
  readonly memory: Memory
}

/** @param maxStarts from ten connections without login on, OpenSSH drops some (MaxStartups 10:30:100) */
export function createStartLimiter(maxStarts = 16): StartLimiter {
  const starts = pLimit(maxStarts)
  const tools = pLimit(4)
  return { start: (open) => starts(open), runTool: (run) => tools(run), memory: createMemory() }
}
