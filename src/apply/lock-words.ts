import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { converge, shell } from '../lib/next-command.ts'
import { lockTtlS } from '../model/lock-lease.ts'
import type { Problem } from '../model/plan.ts'
import type { CommandResult } from '../transports/transport.ts'
import { unsafeFolder } from './safe-folder.ts'

/** Which lock it is about. */
export interface LockPlace {
  readonly transport: { readonly host: string }
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly ttlS?: number
}

export function folderOf({ root }: Pick<LockPlace, 'root'>): string {
  return posix.join(root, 'lock')
}

/** `op@laptop, run 4f2a…, since …`, or what stands there when it is not ours to read. */
export function describeHolder(line: string): string {
  try {
    const holder: Record<string, unknown> = JSON.parse(line)
    const { owner, controller, pid, runId, since } = holder
    return `${String(owner)}@${String(controller)} (process ${String(pid)}, run ${String(runId)}, since ${String(since)})`
  } catch {
    return line === '' ? 'somebody who left no name' : line
  }
}

export function takenOver(age: string, holder: string): string {
  const silence = Number(age) >= 999_999 ? 'gave no sign of life' : `was silent for ${age} s`
  return `took over a dead lock: ${describeHolder(holder)} ${silence}`
}

export function takenFromDead(holder: string): string {
  return `took over a dead lock: the process of ${describeHolder(holder)} is gone, and nothing of it runs here`
}

export function locked({ transport, root, ttlS = lockTtlS }: LockPlace, ageS: number, holder: string): ConvergeError {
  return new ConvergeError('APPLY.LOCKED', {
    summary: 'Another run holds the lock on the host. Nothing was changed there.',
    why: `On ${transport.host}: ${describeHolder(holder)} holds ${folderOf({ root })}; its last sign of life was ${ageS} s ago.`,
    next: [
      converge(['apply', '--lock-timeout', '10m'], { say: 'Wait until that run has ended, or have it waited for:' }),
      `A lock that is silent for ${ttlS} s is taken over by the next apply.`,
      converge(['unlock', transport.host], { say: 'Take it away where nobody will give it back any more:' }),
    ],
  })
}

export function unusable({ transport, root }: LockPlace, result: CommandResult): ConvergeError {
  if (result.stdout.startsWith('unsafe ')) return unsafeFolder(transport.host, root, result.stdout.trim().slice('unsafe '.length))
  if (/read-only file system/i.test(result.stderr)) return cannotWrite(transport.host, root, result)
  if (isForeign(result)) return new ConvergeError('APPLY.LOCK_UNUSABLE', foreignWords(transport.host, root, result.stderr))
  if (/no space left on device|disk quota exceeded/i.test(result.stderr)) return noRoom(transport.host, root, result)
  const ending = result.timedOut ? 'did not end in time' : `ended with ${result.exitCode ?? result.signal ?? 'no status'}`
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be created on the host. Nothing was changed there.',
    why: `On ${transport.host}: making ${folderOf({ root })} ${ending}. ${lastLines(result.stderr)}`.trim(),
    next: [
      shell(`ssh ${transport.host} 'ls -ld ${root}; df -h ${root}'`, { say: 'Look at the folder, its rights and its disk:' }),
    ],
  })
}

function noRoom(host: string, root: string, { stderr }: CommandResult): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The disk of the host is full. Nothing was changed there.',
    why: `On ${host}: ${folderOf({ root })} could not be written. ${lastLines(stderr)}`,
    next: [shell(`ssh ${host} df -h ${root}`, { say: 'Make room and run again:' })],
  })
}

/** What is in the folder of a lock that converge did not put there. */
export function isForeign({ stdout }: CommandResult): boolean {
  return stdout.trim() === 'foreign'
}

export function foreignWords(host: string, root: string, names: string): Pick<Problem, 'summary' | 'why' | 'next'> {
  const folder = folderOf({ root })
  return {
    summary: 'The lock folder contains something that converge did not create.',
    why: `On ${host}: in ${folder} lies ${names.trim().split('\n').join(', ')}. As long as it does, the folder cannot be removed and is a lock.`,
    next: [shell(`ssh ${host} ls -lA ${folder}`, { say: 'Look at it, and take it away:' })],
  }
}

function cannotWrite(host: string, root: string, { stderr }: CommandResult): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The host is read-only for this account. Nothing was changed there.',
    why: `On ${host}: the lock could not be made, because ${root} lies on a file system that is read-only for this login. ${lastLines(stderr)}`,
    next: [
      'If this key is held to looking, apply with another: plan, facts, status and verify need no more.',
      shell(`ssh ${host} grep -w ro /proc/mounts`, { say: 'If it is not, see whether a disk went read-only after an error:' }),
    ],
  })
}

export function notGivenBack({ transport, ttlS = lockTtlS }: LockPlace, why: string): Problem {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be released.',
    why: `On ${transport.host}: ${why}`.trim(),
    next: [`It dies by itself ${ttlS} s after its last sign of life.`],
  }).toProblem()
}
