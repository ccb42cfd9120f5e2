import { ConvergeError } from '../errors/converge-error.ts'
import { parseObject } from '../lib/json-object.ts'
import { lastLines } from '../lib/last-lines.ts'
import { converge, shell } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import { lockTtlS } from '../model/lock-lease.ts'
import type { Transport } from '../transports/transport.ts'
import { watchedEndS } from '../transports/watch.ts'
import { auditLine, auditPath } from './audit-log.ts'
import type { LockRequest } from './lock.ts'
import { describeHolder, folderOf, foreignWords } from './lock-words.ts'
import { callMain, define } from './remote-script.ts'
import { removeScript, showScript } from './unlock-scripts.ts'

/** The lock of a host at one moment. */
export interface LockState {
  /** The content of its owner file, with the token. Empty: no such file. */
  readonly line: string
  /** Seconds since the last heartbeat, by the host's clock. */
  readonly silentS: number
  /** Its run may still be active. */
  readonly alive: boolean
}

export interface LockOwner {
  readonly owner: string | null
  readonly controller: string | null
  readonly pid: number | null
  readonly runId: string | null
  readonly since: string | null
}

/** Who removes a lock. */
export interface Remover extends Pick<LockRequest, 'owner' | 'controller' | 'pid' | 'runId' | 'token'> {
  readonly since: string
  /** Seconds to wait until no command of the holder can still run; absent: as long as it takes. */
  readonly settleS?: number
}

const timeoutMs = 30_000

/**
 * The lock as it is now; undefined: it is free.
 *
 * @param root converge's folder on the host, absolute
 */
export async function readLock(transport: Transport, root: string): Promise<LockState | undefined> {
  const label = 'look at the lock'
  const text = [`LC_ALL=C; export LC_ALL\n${define('main', showScript)}\n${callMain}`]
  const result = await transport.exec({ label, text, args: [folderOf({ root })], elevate: true, readOnly: true, timeoutMs })
  if (result.exitCode === 0 && result.stdout.trim() === 'free') return undefined
  const [, age, line = ''] = /^held (\d+) ?(.*)/.exec(result.stdout) ?? []
  if (result.exitCode !== 0 || age === undefined) throw notRemoved(transport, root, lastLines(result.stderr))
  return { line, silentS: Number(age), alive: Number(age) < lockTtlS }
}

export function ownerOf({ line }: LockState): LockOwner {
  const fields = parseObject(line) ?? {}
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  const pid = typeof fields['pid'] === 'number' ? fields['pid'] : null
  return { owner: text('owner'), controller: text('controller'), pid, runId: text('runId'), since: text('since') }
}

/**
 * Removes exactly the lock that was seen, and returns once no command of its holder can still run.
 *
 * @returns false: it was released in the meantime
 * @throws ConvergeError `APPLY.LOCK_CHANGED`, `APPLY.LOCK_ALIVE` where it was seen dead, `APPLY.LOCK_UNUSABLE`
 */
export async function removeLock(transport: Transport, root: string, seen: LockState, by: Remover): Promise<boolean> {
  const { token, settleS = watchedEndS, ...who } = by
  const folder = folderOf({ root })
  const mine = stableJson({ ...who, token })
  const judged = seen.alive ? 'living' : 'dead'
  const note = `${who.owner}@${who.controller} removed the lock of ${describeHolder(seen.line)}`
  const lines = [auditLine(who.runId, { event: 'lock-removed', note }), auditLine(who.runId, { event: 'run-ended' })]
  const args = [folder, seen.line, token, mine, judged, String(lockTtlS), String(settleS), auditPath(root), ...lines]
  const text = [`LC_ALL=C; export LC_ALL\n${define('main', removeScript)}\n${callMain}`]
  const result = await transport.exec({ label: 'remove the lock', text, args, elevate: true, timeoutMs })
  const [word = '', ...rest] = result.stdout.trim().split(' ')
  if (result.exitCode === 0 && word === 'removed') return true
  if (result.exitCode === 0 && word === 'gone') return false
  if (word === 'changed') throw changed(transport, `${describeHolder(rest.join(' '))} holds it now.`)
  if (word === 'busy') throw changed(transport, 'It is being taken over or released right now.')
  if (word === 'alive') throw aliveAgain(transport, rest.join(' '))
  if (word === 'left') throw new ConvergeError('APPLY.LOCK_UNUSABLE', foreignWords(transport.host, root, rest.join(', ')))
  throw notRemoved(transport, root, lastLines(result.stderr))
}

function changed({ host }: Transport, now: string): ConvergeError {
  return new ConvergeError('APPLY.LOCK_CHANGED', {
    summary: 'The lock changed hands while it was read. Nothing was done.',
    why: `On ${host}: ${now} Only the lock that was shown is removed.`,
    next: [converge(['unlock', host], { say: 'Look again:' })],
  })
}

function aliveAgain({ host }: Transport, ageS: string): ConvergeError {
  return new ConvergeError('APPLY.LOCK_ALIVE', {
    summary: 'The lock was stale and is in use again. Nothing was done.',
    why: `On ${host}: its holder sent a heartbeat ${ageS} s ago, so its run may still be active.`,
    next: [converge(['unlock', host], { say: 'Look again:' })],
  })
}

function notRemoved({ host }: Transport, root: string, said: string): ConvergeError {
  return new ConvergeError('APPLY.LOCK_UNUSABLE', {
    summary: 'The lock could not be removed.',
    why: `On ${host}: ${folderOf({ root })} is unchanged. ${said}`.trim(),
    next: [
      shell(`ssh ${host} 'ls -la ${root} ${folderOf({ root })}; df -h ${root}'`, {
        say: 'Look at the folder, its permissions and its disk:',
      }),
    ],
  })
}
