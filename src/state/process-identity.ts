import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { platform } from 'node:os'
import { promisify } from 'node:util'
import { isObject } from '../lib/json-object.ts'
import type { ProcessIdentity } from '../model/process-identity.ts'

const run = promisify(execFile)

/** Where this process runs, and which it is; undefined where the system does not tell all of it. */
export async function thisProcess(): Promise<ProcessIdentity | undefined> {
  const [place, seen] = await Promise.all([thisPlace(), look(process.pid)])
  return place === undefined || seen === undefined ? undefined : { pid: process.pid, start: seen.start, ...place }
}

/**
 * Whether it is proved that a process is not there any more: it was one of this start of this machine, its pid counts among the same
 * processes as ours, and nothing runs under it, or something that started at another time. False is no proof of anything.
 *
 * @param told as somebody wrote it down; what is no identity proves nothing
 */
export async function isProvedGone(told: unknown): Promise<boolean> {
  if (!isIdentity(told)) return false
  const place = await thisPlace()
  if (place === undefined || (['boot', 'machine', 'namespace'] as const).some((name) => place[name] !== told[name])) return false
  if (!isThere(told.pid)) return true
  const seen = await look(told.pid)
  return seen !== undefined && (seen.start !== told.start || seen.over)
}

function isIdentity(told: unknown): told is ProcessIdentity {
  if (!isObject(told)) return false
  const { pid, start, boot, machine, namespace } = told
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return false
  return [start, boot, namespace].every((text) => typeof text === 'string' && text !== '') && typeof machine === 'string'
}

/** Hidden processes of others are there as well. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

type ProcessPlace = Pick<ProcessIdentity, 'boot' | 'machine' | 'namespace'>

interface SeenProcess {
  readonly start: string
  /** It has ended, and only its parent has not heard of it yet. */
  readonly over: boolean
}

async function thisPlace(): Promise<ProcessPlace | undefined> {
  try {
    return platform() === 'darwin' ? await placeOnMac() : await placeOnLinux()
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

async function placeOnLinux(): Promise<ProcessPlace | undefined> {
  // A /proc of another pid namespace, as some containers have it, tells of other processes.
  if ((await readlink('/proc/self')) !== String(process.pid)) return undefined
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const namespace = await readlink('/proc/self/ns/pid')
  const machine = (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim()
  return boot === '' ? undefined : { boot, machine, namespace }
}

/** `PID (NAME) STATE … START …`: proc_pid_stat(5), the name may hold anything; the 3rd and the 22nd field, ticks since the boot. */
async function lookOnLinux(pid: number): Promise<SeenProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  if (start === undefined || !/^\d+$/.test(start)) return undefined
  const over = state === 'Z' && (await readdir(`/proc/${pid}/task`)).length === 1
  return { start, over }
}

async function placeOnMac(): Promise<ProcessPlace | undefined> {
  const boot = (await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])).stdout.trim()
  const { stdout } = await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])
  const machine = /"IOPlatformUUID" = "([^"]+)"/.exec(stdout)?.[1]
  return machine === undefined || !/^[\w-]{36}$/.test(boot) ? undefined : { boot, machine, namespace: 'macos' }
}

/**
 * `Mon Nov 23 07:12:00 2026`: to the second, so that one that took the same pid within it is not told apart, and counts as there. So does
 * one that has ended and that its parent has not heard of.
 */
async function lookOnMac(pid: number): Promise<SeenProcess | undefined> {
  const { stdout } = await run('/bin/ps', ['-p', String(pid), '-o', 'lstart='], { env: { LC_ALL: 'C', TZ: 'UTC' } })
  const start = stdout.trim().replace(/\s+/g, ' ')
  return /^\w{3} \w{3} \d{1,2} [\d:]{8} \d{4}$/.test(start) ? { start, over: false } : undefined
}
