import { spawnSync } from 'node:child_process'

/** Ends a process that leads a group, and all of its group. */
export function endGroup(pid: number | undefined): void {
  if (pid !== undefined) kill(-pid)
}

/**
 * Ends a process of our own group, what it started, and what has joined our group since and has lost its parent: at a terminal Ctrl-C
 * ends a shell, and not what it has in the background. Who shares a pipeline with us is spared, and so is what a script that runs us
 * had started before.
 *
 * @param before pids of our group from before the process was started ({@link ownGroup})
 */
export function endStarted(pid: number | undefined, before: ReadonlySet<number>): void {
  if (pid === undefined) return
  const all = processes()
  const ours = all.get(process.pid)?.group
  const job = whoBeganJob(all)
  const isOrphan = ({ pid: one, parent, group }: Row) =>
    group === ours && !before.has(one) && !job.has(one) && !job.has(parent) && all.get(parent)?.group !== ours
  const started = new Set([pid, ...[...all.values()].filter(isOrphan).map((row) => row.pid)])
  // Parents need not stand above their children.
  for (let size = 0; size < started.size; ) {
    size = started.size
    for (const row of all.values()) if (started.has(row.parent)) started.add(row.pid)
  }
  for (const one of started) kill(one)
}

/** Pids of the processes in our own group. */
export function ownGroup(): ReadonlySet<number> {
  const all = processes()
  const ours = all.get(process.pid)?.group
  return new Set([...all.values()].flatMap(({ pid, group }) => (group === ours ? [pid] : [])))
}

const endingWithUs = new Set<() => void>()
let isWatched = false

/** Has something ended where this process ends at once; what it gives back takes that back. */
export function endWithUs(end: () => void): () => void {
  if (!isWatched) process.once('exit', () => endingWithUs.forEach((one) => one()))
  isWatched = true
  endingWithUs.add(end)
  return () => endingWithUs.delete(end)
}

interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
}

/** By pid; empty on a machine without `ps`. */
function processes(): ReadonlyMap<number, Row> {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid='])
  const lines = String(stdout).split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/u).map(Number))
  return new Map(rows.map(([pid = 0, parent = 0, group = 0]) => [pid, { pid, parent, group }]))
}

/** We, and who is above us as far as it is of our group, with the shell that made it one. */
function whoBeganJob(all: ReadonlyMap<number, Row>): ReadonlySet<number> {
  const chain = new Set<number>()
  const ours = all.get(process.pid)?.group
  let row = all.get(process.pid)
  while (row !== undefined && !chain.has(row.pid)) {
    chain.add(row.pid)
    row = row.group === ours ? all.get(row.parent) : undefined
  }
  return chain
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already, or is another account's by now.
  }
}
