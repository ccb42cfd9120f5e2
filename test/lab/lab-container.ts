import { docker } from './docker.ts'
import type { KindSpec } from './host-kinds.ts'
import { OWNER_LABEL } from './leftovers.ts'

export interface Placement {
  readonly name: string
  readonly network: string
  /** Reached through the bastion only: nothing of it is published. */
  readonly hidden: boolean
  /** Of 127.0.0.1, where its SSH server is published; default: one that is free. */
  readonly port?: number
}

/**
 * Starts a container that can be a whole machine; reachable through a port of 127.0.0.1 and nothing else.
 *
 * @param sshFolder what is added to its `/etc/ssh` before it starts
 * @returns its identifier
 */
export async function startContainer(image: string, spec: KindSpec, placement: Placement, sshFolder: string): Promise<string> {
  const id = await docker(['create', '--pull', 'never', ...optionsOf(spec, placement), image, ...spec.command])
  await docker(['cp', `${sshFolder}/.`, `${id}:/etc/ssh`])
  await docker(['start', id])
  return id
}

/** Of 127.0.0.1, where the container's SSH server is published. */
export async function publishedPort(id: string): Promise<number> {
  return Number((await docker(['port', id, '22/tcp'])).split(':').at(-1))
}

function optionsOf(spec: KindSpec, { name, network, hidden, port }: Placement): readonly string[] {
  return [
    `--hostname=${name}`,
    `--label=${OWNER_LABEL}=${process.pid}`,
    `--network=${network}`,
    `--network-alias=${name}`,
    // Root of a real machine has both, and the kernel asks for them where one process looks at another.
    '--cap-add=SYS_PTRACE',
    '--cap-add=DAC_READ_SEARCH',
    ...(spec.systemd ? bootsSystemd : []),
    ...(spec.engine ? ['--volume=/var/lib/docker'] : []),
    ...(hidden ? [] : [`--publish=127.0.0.1:${port ?? ''}:22`]),
  ]
}

const bootsSystemd: readonly string[] = [
  '--cap-add=SYS_ADMIN',
  '--cap-add=NET_ADMIN',
  '--security-opt=seccomp=unconfined',
  '--security-opt=apparmor=unconfined',
  // A nested engine writes below /proc/sys.
  '--security-opt=systempaths=unconfined',
  '--tmpfs=/run',
  '--tmpfs=/tmp',
  '--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw',
  // The mount above shows the machine's own tree, so the names in /proc/self/cgroup must be the machine's too.
  '--cgroupns=host',
]
