import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** Seconds and bytes of one run of a program, with every process that it started, also those that it left running. */
export interface Measured {
  readonly wall: number
  readonly cpu: number
  /** The most memory of all its processes together; what they share counts once, and files that they map as in the largest. A look every 50 ms may miss a peak. */
  readonly memory: number
}

/**
 * Runs in a process namespace, where a process whose parent ends becomes a child of this shell. So the shell's times include those of an
 * `ssh` that goes on as the master of a connection; the loop ends it.
 */
const script = `TIMEFORMAT=%3R
time "$@" 2>&3 3>&-
status=$?
while kill -TERM -- -1; do sleep 0.05; done 2>/dev/null
times >&2
exit $status`

export interface Program {
  readonly words: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Default: 0. */
  readonly exit?: number
  /** Only in the first round: it takes long. */
  readonly isSlow?: boolean
}

/** All of them in each round, so that all see the same machine. Each name has its runs in the order of the rounds. */
export async function measureInTurns(
  programs: Readonly<Record<string, Program>>,
  rounds: number,
  check: (name: string) => Promise<void> = async () => undefined,
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const found = new Map<string, Measured[]>(Object.keys(programs).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      if (round > 0 && program.isSlow === true) continue
      found.get(name)?.push(await measure(program))
      await check(name)
    }
  }
  return found
}

/** Runs a program once. Throws if it ends with another code. Needs Linux, and root for the namespace. */
export async function measure({ words, env = {}, exit = 0 }: Program): Promise<Measured> {
  const inside = ['bash', '-c', script, 'bash', ...words]
  const child = spawn('unshare', ['--pid', '--fork', '--kill-child', '--mount-proc', ...inside], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const texts = Promise.all([child.stderr, child.stdio[3] as Readable].map((stream) => text(stream as Readable)))
  const [memory, [figures = '', stderr = '']] = await Promise.all([peakOf(child.pid ?? 0, ended), texts])
  const [status]: unknown[] = await ended
  if (status !== exit)
    throw new Error(`${words.slice(0, 9).join(' ')} ended with ${String(status)}:\n${`${figures}${stderr}`.slice(-2000)}`)
  const [wall, , , user, system] = figures.trim().split(/\s+/)
  return { wall: Number(wall), cpu: secondsOf(user) + secondsOf(system), memory }
}

/** `1m2.345s`, as `times` prints it. */
function secondsOf(printed = ''): number {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(printed) ?? []
  return Number(minutes) * 60 + Number(seconds)
}

/** Looks less often where a look costs much, so that looking takes a twentieth of a processor at most. */
async function peakOf(root: number, ended: Promise<unknown>): Promise<number> {
  const state = { isRunning: true, peak: 0 }
  void ended.then(() => Object.assign(state, { isRunning: false }))
  while (state.isRunning) {
    const before = process.cpuUsage()
    state.peak = Math.max(state.peak, memoryBelow(root))
    const { user, system } = process.cpuUsage(before)
    await Promise.race([ended, sleep(Math.max(50, ((user + system) / 1000) * 20))])
  }
  return state.peak
}

function memoryBelow(root: number): number {
  const children = Map.groupBy(
    readdirSync('/proc').filter((name) => /^\d+$/.test(name)),
    (pid) => /^\d+ \(.*\) \S (\d+)/s.exec(procFile(pid, 'stat'))?.[1],
  )
  const below = (pid: string): readonly string[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)])
  // The first one is the shell that measures.
  const [, ...pids] = below(String(root))
  const all = pids.map((pid) => procFile(pid, 'smaps_rollup'))
  // Shares of files depend on who else has them open, so those of one process stand for all.
  const files = Math.max(0, ...all.map((rollup) => bytesIn(rollup, 'Rss') - bytesIn(rollup, 'Anonymous')))
  return all.reduce((sum, rollup) => sum + bytesIn(rollup, 'Pss_Anon'), files)
}

function bytesIn(rollup: string, field: string): number {
  return Number(new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0) * 1024
}

/** The process may have ended meanwhile. */
function procFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** The one in the middle; the higher one of two. */
export function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
}
