import { access, constants, readFile, readlink } from 'node:fs/promises'
import { docker } from './docker.ts'

interface Entrance {
  /** What its first process is a member of: another one after a restart. */
  readonly namespace: string
  readonly pid: number
  readonly words: readonly string[]
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const entrances = new Map<string, Entrance>()

/** Where its SSH server is published on 127.0.0.1; empty: nowhere. */
const published = '{{with index .NetworkSettings.Ports "22/tcp"}}{{(index . 0).HostPort}}{{end}}'
const described = `{{.State.Pid}} {{.Config.Hostname}} {{json .Config.Env}}\n${published}`

/**
 * The words before a command that is to run inside a container, as root, in its namespaces, control groups and environment, but with all
 * capabilities. `docker exec` starts three programs of its own, which takes a hundred times as long as entering the namespaces. That needs
 * root and an engine on this machine; elsewhere it is `docker exec`.
 */
export async function enter(containerId: string): Promise<readonly string[]> {
  const last = entrances.get(containerId)
  if (last !== undefined && (await namespaceOf(last.pid)) === last.namespace) return last.words
  const { entrance } = await lookAt(containerId)
  return entrance?.words ?? ['docker', 'exec', '--interactive', containerId]
}

/** Of 127.0.0.1, where the container's SSH server is published. The same call of the engine says how to enter the container. */
export async function publishedPort(containerId: string): Promise<number> {
  return (await lookAt(containerId)).port
}

async function lookAt(containerId: string): Promise<{ readonly entrance: Entrance | undefined; readonly port: number }> {
  const [state = '', port] = (await docker(['inspect', '--format', described, containerId])).split('\n')
  const entrance = await entranceOf(containerId, state)
  if (entrance !== undefined) entrances.set(containerId, entrance)
  return { entrance, port: Number(port) }
}

async function entranceOf(containerId: string, state: string): Promise<Entrance | undefined> {
  const [, number, hostname = '', given = 'null'] = /^(\d+) (\S+) (.*)$/.exec(state) ?? []
  const pid = Number(number)
  const namespace = pid > 0 ? await namespaceOf(pid) : undefined
  if (namespace === undefined || process.getuid?.() !== 0) return undefined
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8')
  // The number of a process on the engine's machine may be that of another process here.
  if (!groups.includes(containerId)) return undefined
  const ofImage: readonly string[] | null = JSON.parse(given)
  // What `docker exec` adds for root; what the image says comes later and counts.
  const variables = [`PATH=${usualPath}`, `HOSTNAME=${hostname}`, 'HOME=/root', ...(ofImage ?? [])]
  const join = 'for group; do shift; [ "$group" = -- ] && break; echo 0 >"$group"; done; exec "$@"'
  const nsenter = ['nsenter', `--target=${pid}`, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']
  return {
    namespace,
    pid,
    words: ['sh', '-c', join, 'sh', ...(await controlGroupsOf(groups)), '--', ...nsenter, '--', 'env', '-i', ...variables],
  }
}

function namespaceOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => undefined)
}

/** The files that make a process a member of all control groups in another's `/proc/PID/cgroup`. */
async function controlGroupsOf(groups: string): Promise<readonly string[]> {
  const files = groups
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
      return `/sys/fs/cgroup/${controllers.replace('name=', '')}${path}/cgroup.procs`
    })
  const writable = await Promise.all(
    files.map((file) =>
      access(file, constants.W_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return files.filter((_, index) => writable[index])
}
