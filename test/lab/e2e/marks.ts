import { type LabHost, mustExec } from '../host.ts'
import { until } from './model-server.ts'

/**
 * Everything that a look which leaves no trace must leave as it was: files with owner, mode, size and times (of reading aside),
 * processes, and what the container engine has and did.
 */
export interface Marks {
  readonly files: readonly string[]
  readonly processes: readonly string[]
  readonly engine: readonly string[]
}

const places = '/ /tmp /run /dev/shm /var/lib/docker'
const listing = `find ${places} -xdev \\( -path /proc -o -path /sys \\) -prune -o -printf '%p %y %m %U:%G %s %T@ %C@ %l\\n' 2>/dev/null | sort -u`

/** What sshd, PAM and the journal write at any login, and containerd when it collects garbage, seconds after a container was made. */
const writtenAnyway = [
  /^\/run [d]/,
  /^\/var\/log\/journal\//,
  /^\/var\/lib\/containerd\/io\.containerd\.metadata\.v1\.bolt\/meta\.db /,
]

/** What runs, without what the looking itself starts and the kernel's own threads. */
const processes = `ps -e -o pid= -o ppid= -o args= | grep -v -e '\\[' -e ' sh -c ' -e ' runc' -e ' crun' -e ' \\(ps\\|find\\|grep\\|sort\\|docker\\|sed\\|cat\\) '`

const engine = `docker ps --all --no-trunc --format '{{.ID}} {{.Names}} {{.Status}}' | sed 's/ Up .*/ Up/' && docker images --no-trunc --quiet && docker network ls --no-trunc --quiet && docker volume ls --quiet`

/** Waits until nothing of a connection runs any more. */
export async function connectionsEnded(host: LabHost): Promise<void> {
  await until(
    () => mustExec(host, `pgrep -f '^sshd(-session)?: [^[]*$|^sudo |^/bin/sh -c' || :`),
    (seen) => seen === '',
  )
}

export async function marksOf(host: LabHost): Promise<Marks> {
  const [files, running, has] = await Promise.all([
    mustExec(host, listing),
    mustExec(host, processes),
    mustExec(host, `if command -v docker >/dev/null; then ${engine}; fi`),
  ])
  return {
    files: lines(files).filter((line) => !writtenAnyway.some((mark) => mark.test(line))),
    processes: lines(running),
    engine: lines(has),
  }
}

/** Lines that one has and the other has not; empty: nothing changed. */
export function difference(before: Marks, after: Marks): readonly string[] {
  return (['files', 'processes', 'engine'] as const).flatMap((part) => {
    const [old, now] = [new Set(before[part]), new Set(after[part])]
    return [
      ...before[part].filter((line) => !now.has(line)).map((line) => `- ${line}`),
      ...after[part].filter((line) => !old.has(line)).map((line) => `+ ${line}`),
    ]
  })
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}
