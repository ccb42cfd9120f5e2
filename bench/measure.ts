import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Seconds and bytes of one run of a program, the processes it started and waited for included in `cpu`. */
export interface Measured {
  readonly wall: number
  readonly cpu: number
  /** Peak resident memory of the program itself, where it is a Node program. */
  readonly rss?: number
  readonly status: number | null
}

/** Runs a program once. `scratch` is a folder for what the measurement leaves behind. */
export function measure(words: readonly string[], scratch: string, env: Record<string, string> = {}): Measured {
  const usageFile = join(scratch, 'usage.json')
  rmSync(usageFile, { force: true })
  const started = process.hrtime.bigint()
  const run = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>"$0"', join(scratch, 'stderr'), ...words], {
    encoding: 'utf8',
    env: { ...process.env, ...env, BENCH_USAGE: usageFile },
  })
  const wall = Number(process.hrtime.bigint() - started) / 1e9
  const [user, system] = run.stderr.trim().split(/\s+/).map(Number)
  const rss = readRss(usageFile)
  return { wall, cpu: (user ?? 0) + (system ?? 0), status: run.status, ...(rss === undefined ? {} : { rss }) }
}

function readRss(file: string): number | undefined {
  try {
    const usage = JSON.parse(readFileSync(file, 'utf8')) as { maxRSS: number }
    return usage.maxRSS * 1024
  } catch {
    return undefined
  }
}

/** The run in the middle by processor time. */
export function median(runs: readonly Measured[]): Measured {
  const sorted = runs.toSorted((a, b) => a.cpu - b.cpu)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return middle
}
