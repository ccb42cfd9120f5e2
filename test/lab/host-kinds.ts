/** The machines the lab can be: one row each. */

export type HostKind = 'nas' | 'old-nas' | 'box' | 'metal' | 'busybox' | 'bastion' | 'cluster'

export interface KindSpec {
  readonly image: 'nas' | 'old-nas' | 'box' | 'metal' | 'busybox' | 'cluster'
  readonly command: readonly string[]
  /** Boots systemd, so it is ready when systemd says so. */
  readonly systemd: boolean
  /** Runs a container engine of its own. */
  readonly engine: boolean
}

export const HOST_KINDS: Readonly<Record<HostKind, KindSpec>> = {
  /** systemd, sshd, a nested Docker engine with compose, the Kind A server image and tiny models. */
  nas: { image: 'nas', command: ['/sbin/init'], systemd: true, engine: true },
  /** The same with an engine of 2023 and `docker-compose` version 1. */
  'old-nas': { image: 'old-nas', command: ['/sbin/init'], systemd: true, engine: true },
  /** A small Linux machine: systemd, sshd, Python and the Kind B double; no container engine. */
  box: { image: 'box', command: ['/sbin/init'], systemd: true, engine: false },
  /** A machine of the newest Debian, with the real llama-server as a program of its own. Not among the standard hosts. */
  metal: { image: 'metal', command: ['/sbin/init'], systemd: true, engine: false },
  /** BusyBox and dropbear: no systemd, sudo, bash, ss, lsof or sftp. */
  busybox: { image: 'busybox', command: ['/sbin/init'], systemd: false, engine: false },
  /** A Slurm cluster of one machine, which has to be called `cluster`. Not among the standard hosts. */
  cluster: { image: 'cluster', command: ['/sbin/init'], systemd: true, engine: false },
  /** Only an sshd that forwards connections. */
  bastion: {
    image: 'box',
    command: ['/bin/sh', '-c', 'mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e -o AllowTcpForwarding=yes'],
    systemd: false,
    engine: false,
  },
}
