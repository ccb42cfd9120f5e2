import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { platform } from 'node:os'
import { promisify } from 'node:util'
import { isObject } from '../lib/json-object.ts'
import type { ProcessIdentity } from '../model/process-identity.ts'

const run = promisify(execFile)

/** The identity of this process; undefined if the system does not provide all of it. */
export async function thisProcess(): Promise<ProcessIdentity | undefined> {
  const [scope, seen] = await Promise.all([thisScope(), look(process.pid)])
  return scope === undefined || seen === undefined ? undefined : { pid: process.pid, start: seen.start, ...scope }
}

/**
 * Whether a process is provably gone: it belonged to this boot of this machine and to our pid namespace, and now no process has its pid, or
 * one with another start time. False proves nothing.
 *
 * @param identity from a file; anything else proves nothing
 */
export async function isProvedGone(identity: unknown): Promise<boolean> {
  if (!isIdentity(identity)) return false
  const scope = await thisScope()
  if (scope === undefined || (['boot', 'machine', 'namespace'] as const).some((name) => scope[name] !== identity[name]))
    return false
  if (!isThere(identity.pid)) return true
  const seen = await look(identity.pid)
  return seen !== undefined && (seen.start !== identity.start || seen.over)
}

function isIdentity(identity: unknown): identity is ProcessIdentity {
  if (!isObject(identity)) return false
  const { pid, start, boot, machine, namespace } = identity
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return false
  return [start, boot, namespace].every((text) => typeof text === 'string' && text !== '') && typeof machine === 'string'
}

/** Also true for processes of other users that are hidden. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

type ProcessScope = Pick<ProcessIdentity, 'boot' | 'machine' | 'namespace'>

interface SeenProcess {
  readonly start: string
  /** A zombie: it has ended, but its parent has not collected it. */
  readonly over: boolean
}

async function thisScope(): Promise<ProcessScope | undefined> {
  try {
    return platform() === 'darwin' ? await scopeOnMac() : await scopeOnLinux()
  } catch {
    return undefined
  }
}

async function look(pid: number): Promise<SeenProcess | undefined> {
  try {
    return platform() === 'darwin' ? await lookOnMac(pid) : await lookOnLinux(pid)
  } catch {
    return undefined
  }
}

async function scopeOnLinux(): Promise<ProcessScope | undefined> {
  // In some containers /proc belongs to another pid namespace.
  if ((await readlink('/proc/self')) !== String(process.pid)) return undefined
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const namespace = await readlink('/proc/self/ns/pid')
  const machine = (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim()
  return boot === '' ? undefined : { boot, machine, namespace }
}

/** `PID (NAME) STATE … START …`: proc_pid_stat(5); the name may contain anything. The 3rd and 22nd field, ticks since boot. */
async function lookOnLinux(pid: number): Promise<SeenProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  if (start === undefined || !/^\d+$/.test(start)) return undefined
  const over = state === 'Z' && (await readdir(`/proc/${pid}/task`)).length === 1
  return { start, over }
}

async function scopeOnMac(): Promise<ProcessScope | undefined> {
  const boot = (await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])).stdout.trim()
  const { stdout } = await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])
  const machine = /"IOPlatformUUID" = "([^"]+)"/.exec(stdout)?.[1]
  return machine === undefined || !/^[\w-]{36}$/.test(boot) ? undefined : { boot, machine, namespace: 'macos' }
}

/**
 * `Mon Nov 23 07:12:00 2026`: to the second. A process that reused the pid within that second, or a zombie, counts as running.
 */
async function lookOnMac(pid: number): Promise<SeenProcess | undefined> {
  const { stdout } = await run('/bin/ps', ['-p', String(pid), '-o', 'lstart='], { env: { LC_ALL: 'C', TZ: 'UTC' } })
  const start = stdout.trim().replace(/\s+/g, ' ')
  return /^\w{3} \w{3} \d{1,2} [\d:]{8} \d{4}$/.test(start) ? { start, over: false } : undefined
}
