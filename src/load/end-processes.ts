import { spawnSync } from 'node:child_process'

/** Ends a process group and its leader. */
export function endGroup(pid: number | undefined): void {
  if (pid !== undefined) kill(-pid)
}

/**
 * Ends a process in our own group, its children, and orphans that joined our group since: Ctrl-C at a terminal ends a shell, but not its
 * background jobs. Spares other members of our pipeline, and what a calling script started earlier.
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
  // Parents need not precede their children.
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

/** Registers something to end if this process exits at once; the returned function cancels it. */
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

/** By pid; empty without `ps`. */
function processes(): ReadonlyMap<number, Row> {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid='])
  const lines = String(stdout).split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/u).map(Number))
  return new Map(rows.map(([pid = 0, parent = 0, group = 0]) => [pid, { pid, parent, group }]))
}

/** This process and its ancestors within our group, including the shell that created it. */
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
    // It already ended, or belongs to another user now.
  }
}
