import { docker } from './docker.ts'
import type { KindSpec } from './host-kinds.ts'
import { OWNER_LABEL } from './leftovers.ts'

export interface Placement {
  readonly name: string
  /** Where others reach it by its name; default: that of all containers. */
  readonly network: string | undefined
  /** Reached through the bastion only: nothing of it is published. */
  readonly hidden: boolean
  /** Of 127.0.0.1, where its SSH server is published; default: one that is free. */
  readonly port?: number
}

/** What lies in a host's `/etc/ssh` before its SSH server starts. */
export interface SshKeys {
  readonly hostKey: string
  readonly hostKeyPublic: string
  /** Who may enter. */
  readonly authorizedKeys: string
}

/**
 * Starts a container that can be a whole machine; reachable through a port of 127.0.0.1 and nothing else.
 *
 * @returns its identifier
 */
export function startContainer(image: string, spec: KindSpec, placement: Placement, keys: SshKeys): Promise<string> {
  const written = [keys.hostKey, keys.hostKeyPublic, keys.authorizedKeys]
  const command = ['sh', '-c', writeKeys, 'sh', ...written, ...spec.command]
  return docker(['run', '--detach', '--pull', 'never', ...optionsOf(spec, placement), image, ...command])
}

/** Copying files into a container before it starts would be three calls of the engine instead of one. */
const writeKeys = `mkdir -p /etc/ssh && cd /etc/ssh && (umask 077; printf %s "$1" >lab_host_key) && printf %s "$2" >lab_host_key.pub &&
printf %s "$3" >lab_authorized_keys && cd / && shift 3 && exec "$@"`

function optionsOf(spec: KindSpec, { name, network, hidden, port }: Placement): readonly string[] {
  return [
    `--hostname=${name}`,
    `--label=${OWNER_LABEL}=${process.pid}`,
    ...(network === undefined ? [] : [`--network=${network}`, `--network-alias=${name}`]),
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
