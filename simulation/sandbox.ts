import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A file system of its own for the shells of one simulated host, kept open by a process that does nothing else. */
export interface Sandbox extends AsyncDisposable {
  /** Prefix of a command that should run in it. */
  readonly enter: readonly string[]
  /** The path on this machine of a path of its shells. */
  readonly outside: (path: string) => string
  /** Whether a process of this machine runs in it. */
  readonly holds: (pid: number) => boolean
}

export interface SandboxPlaces {
  /** Becomes `/`. Its `usr/bin` has every program that is to be there. */
  readonly root: string
  /** Of the host, around `root`: keeps its path, because programs and sockets of the simulation are named by it. */
  readonly folder: string
}

/**
 * In it are the root, the host's folder, this machine's libraries (read-only) and six devices that do no harm; of this machine's other
 * files, nothing. It takes no rights: a mount namespace in a user namespace (unshare(1), user_namespaces(7)). Undefined: this system
 * does not allow those, or has no util-linux.
 */
export async function openSandbox({ root, folder }: SandboxPlaces): Promise<Sandbox | undefined> {
  const [unshare, nsenter] = ['unshare', 'nsenter'].map(onPath)
  if (unshare === undefined || nsenter === undefined) return undefined
  const holder = spawn(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', setUp, 'sh', root, folder], {
    // An interrupt at the terminal is not for it: it ends with its stdin, however this process ends.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  })
  for (const part of [holder, holder.stdin]) part.on('error', () => undefined)
  const isReady = await Promise.race([once(holder.stdout, 'data').then(() => true), once(holder, 'close').then(() => false)])
  if (!isReady || holder.pid === undefined) return undefined
  const namespace = mountNamespace(holder.pid)
  return {
    enter: [nsenter, `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials', '--'],
    outside: (path) => (/^\/(?!dev\/)/.test(path) && !path.startsWith(`${folder}/`) ? join(root, path) : path),
    holds: (pid) => namespace !== undefined && mountNamespace(pid) === namespace,
    [Symbol.asyncDispose]: async () => {
      const ended = once(holder, 'close')
      holder.stdin.end()
      await ended
    },
  }
}

/** These mounts are invisible outside, and disappear with the last process inside. */
const setUp = `set -e
root=$1 folder=$2
borrow() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
}
mount --bind "$root" "$root"
mkdir -p "$root$folder" "$root/dev" "$root/tmp" "$root/usr/lib/systemd"
mount --bind "$folder" "$root$folder"
for place in /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/share; do
  if [ -d "$place" ]; then borrow "$place"; fi
done
# Its units are not those of the simulated host.
if [ -d /usr/lib/systemd ]; then mount --bind "$root$folder\${root#"$folder"}/usr/lib/systemd" "$root/usr/lib/systemd"; fi
for place in /lib /lib32 /lib64 /libx32; do
  if [ -L "$place" ]; then ln -s "$(readlink "$place")" "$root$place"; elif [ -d "$place" ]; then borrow "$place"; fi
done
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
if [ ! -e "$root/bin" ]; then ln -s usr/bin "$root/bin"; fi
mkdir "$root/.outside"
cd "$root"
pivot_root . .outside
# From there, for it takes a program and a /proc.
PATH=/.outside/usr/sbin:/.outside/usr/bin:/.outside/sbin:/.outside/bin
chroot /.outside /bin/sh -c 'PATH=/usr/bin:/bin:/usr/sbin:/sbin; umount -l /'
PATH=/usr/bin
rmdir /.outside
echo ready
exec cat`

function onPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
}

function mountNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return undefined
  }
}
