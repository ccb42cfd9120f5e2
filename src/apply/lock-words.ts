import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { converge, shell } from '../lib/next-command.ts'
import { lockTtlS } from '../model/lock-lease.ts'
import type { Problem } from '../model/plan.ts'
import type { CommandResult } from '../transports/transport.ts'
import { unsafeFolder } from './safe-folder.ts'

/** Which lock. */
export interface LockRef {
  readonly transport: { readonly host: string }
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly ttlS?: number
}

export function folderOf({ root }: Pick<LockRef, 'root'>): string {
  return posix.join(root, 'lock')
}

/** `op@laptop (process 7, run 4f2a…, since …)`, or the line itself when it is not an owner line. */
export function describeHolder(line: string): string {
  try {
    const holder: Record<string, unknown> = JSON.parse(line)
    const { owner, controller, pid, runId, since } = holder
    return `${String(owner)}@${String(controller)} (process ${String(pid)}, run ${String(runId)}, since ${String(since)})`
  } catch {
    return line === '' ? 'an unnamed run' : line
  }
}

export function takenOver(age: string, holder: string): string {
  const silence = Number(age) >= 999_999 ? 'sent no heartbeat' : `was silent for ${age} s`
  return `took over a dead lock: ${describeHolder(holder)} ${silence}`
}

export function takenFromDead(holder: string): string {
  return `took over a dead lock: the process of ${describeHolder(holder)} is gone, and none of its commands run on the host`
}

export function locked({ transport, root, ttlS = lockTtlS }: LockRef, ageS: number, holder: string): ConvergeError {
  return new ConvergeError('APPLY.LOCKED', {
    summary: 'Another run holds the lock on the host. Nothing was changed there.',
    why: `On ${transport.host}: ${describeHolder(holder)} holds ${folderOf({ root })}; its last heartbeat was ${ageS} s ago.`,
    next: [
      converge(['apply', '--lock-timeout', '10m'], { say: 'Wait for that run to end, or let converge wait:' }),
      `The next apply takes over a lock that is silent for ${ttlS} s.`,
      converge(['unlock', transport.host], { say: 'Remove it if that run is dead:' }),
    ],
  })
}

export function unusable({ transport, root }: LockRef, result: CommandResult): ConvergeError {
  if (result.stdout.startsWith('unsafe ')) return unsafeFolder(transport.host, root, result.stdout.trim().slice('unsafe '.length))
  if (/read-only file system/i.test(result.stderr)) return cannotWrite(transport.host, root, result)
  if (isForeign(result)) return new ConvergeError('APPLY.LOCK_UNUSABLE', foreignWords(transport.host, root, result.stderr))
  if (/no space left on device|disk quota exceeded/i.test(result.stderr)) return noRoom(transport.host, root, result)
  const ending = result.timedOut ? 'did not end in time' : `ended with ${result.exitCode ?? result.signal ?? 'no status'}`
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be created on the host. Nothing was changed there.',
    why: `On ${transport.host}: creating ${folderOf({ root })} ${ending}. ${lastLines(result.stderr)}`.trim(),
    next: [
      shell(`ssh ${transport.host} 'ls -ld ${root}; df -h ${root}'`, {
        say: 'Look at the folder, its permissions and its disk:',
      }),
    ],
  })
}

function noRoom(host: string, root: string, { stderr }: CommandResult): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The disk of the host is full. Nothing was changed there.',
    why: `On ${host}: ${folderOf({ root })} could not be written. ${lastLines(stderr)}`,
    next: [shell(`ssh ${host} df -h ${root}`, { say: 'Free disk space and run again:' })],
  })
}

/** Whether the lock folder contains something that converge did not create. */
export function isForeign({ stdout }: CommandResult): boolean {
  return stdout.trim() === 'foreign'
}

export function foreignWords(host: string, root: string, names: string): Pick<Problem, 'summary' | 'why' | 'next'> {
  const folder = folderOf({ root })
  return {
    summary: 'The lock folder contains something that converge did not create.',
    why: `On ${host}: ${folder} contains ${names.trim().split('\n').join(', ')}. Until that is removed, the lock cannot be released.`,
    next: [shell(`ssh ${host} ls -lA ${folder}`, { say: 'Look at it, then remove it:' })],
  }
}

function cannotWrite(host: string, root: string, { stderr }: CommandResult): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The host is read-only for this account. Nothing was changed there.',
    why: `On ${host}: the lock could not be created, because ${root} is on a file system that is read-only for this login. ${lastLines(stderr)}`,
    next: [
      'If this is a read-only key, apply with another one. It is enough for plan, facts, status and verify.',
      shell(`ssh ${host} grep -w ro /proc/mounts`, { say: 'Otherwise, see whether a disk went read-only after an error:' }),
    ],
  })
}

export function notReleased({ transport, ttlS = lockTtlS }: LockRef, why: string): Problem {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be released.',
    why: `On ${transport.host}: ${why}`.trim(),
    next: [`It expires ${ttlS} s after its last heartbeat.`],
  }).toProblem()
}
